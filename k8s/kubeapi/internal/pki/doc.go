// Package pki makes the certificates and keys of a server that has none yet.
package pki
