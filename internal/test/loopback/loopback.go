//go:build unix

// Package loopback reserves addresses for the servers of tests.
package loopback

import (
	"fmt"
	"syscall"
)

// Reserve returns an address of the loopback interface for a server that another process starts, perhaps several times.
// The port stays reserved while this process runs: a socket is bound to it, but does not listen. Such a port is neither
// given to a listener that asks for any port nor to an outgoing connection, while a listener of Go that names it may
// use it, because both sockets set SO_REUSEADDR.
func Reserve() (address string, err error) {
	syscall.ForkLock.RLock()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return "", err
	}
	port, err := bindAnyPort(socket)
	if err != nil {
		_ = syscall.Close(socket)
		return "", err
	}
	return fmt.Sprint("127.0.0.1:", port), nil
}

func bindAnyPort(socket int) (port int, err error) {
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	bound, ok := name.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("the socket is bound to %v", name)
	}
	return bound.Port, nil
}
