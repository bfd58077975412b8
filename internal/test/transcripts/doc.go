// Package transcripts replays the recorded answers of a real API server against hosts in the process of the test. Its
// hosts have no kind of k8s.io/api, so that a contributor need not compile these modules. The stage "conformance"
// replays the same transcripts against a program with the kinds of module k8s.
package transcripts
