// Package etcdtest starts etcd clusters for tests, each member as a process of its own, so that a test can kill and
// pause members. The members are the test's own program: it must call [Member] first in its main function or in
// TestMain.
package etcdtest
