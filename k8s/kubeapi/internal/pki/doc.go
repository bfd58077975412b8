// Package pki makes certificates and keys for a new server.
package pki
