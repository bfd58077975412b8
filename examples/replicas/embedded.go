package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

// place holds the directory and the addresses of the members of etcd in the replicas. On separate machines, each
// replica would need only Options.Peers and a directory.
type place struct {
	dir               string
	peers, operations []string
}

func (p place) String() string {
	return strings.Join([]string{p.dir, strings.Join(p.peers, ","), strings.Join(p.operations, ",")}, ";")
}

func parsePlace(text string) (p place, err error) {
	parts := strings.Split(text, ";")
	if len(parts) != 3 {
		return p, fmt.Errorf("%q is not a place DIRECTORY;PEERS;OPERATIONS", text)
	}
	return place{parts[0], strings.Split(parts[1], ","), strings.Split(parts[2], ",")}, nil
}

// findPlace returns free addresses for replicas on this machine. Without a directory, it creates a temporary one.
func findPlace(directory string, count int) (p place, remove func(), err error) {
	remove = func() {}
	if directory == "" {
		if directory, err = os.MkdirTemp("", "replicas"); err != nil {
			return p, nil, err
		}
		remove = func() { _ = os.RemoveAll(directory) }
	}
	p.dir = directory
	for range count {
		for _, all := range []*[]string{&p.peers, &p.operations} {
			listener, failed := net.Listen("tcp", "127.0.0.1:0")
			if failed != nil {
				return p, nil, errors.Join(failed, err)
			}
			defer listener.Close() // keep the listeners open until all addresses are chosen, so that they differ
			*all = append(*all, listener.Addr().String())
		}
	}
	return p, remove, nil
}

// openEmbedded opens the store of a replica that runs a member of etcd.
func openEmbedded(ctx context.Context, text string, number int) (*embedded.Store, error) {
	p, err := parsePlace(text)
	if err != nil {
		return nil, err
	}
	if number >= len(p.peers) {
		return nil, fmt.Errorf("replica %d does not exist", number)
	}
	return embedded.Open(ctx, embedded.Options{
		Dir:   filepath.Join(p.dir, fmt.Sprint(number)),
		Peers: strings.Join(p.peers, ","),
		Self:  p.peers[number], Operations: p.operations[number], // replicas on separate machines need neither
		Store: etcd.Options{Prefix: "/platform"},
	})
}
