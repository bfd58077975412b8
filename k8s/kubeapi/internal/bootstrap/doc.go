// Package bootstrap creates the objects that a cluster has before anybody writes.
package bootstrap
