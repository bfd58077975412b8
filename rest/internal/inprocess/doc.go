// Package inprocess contains the transport that calls a handler in process: requests and answers without a socket.
package inprocess
