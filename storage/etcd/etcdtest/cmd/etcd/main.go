// Command etcd runs an etcd without syncs for tests, until its standard input ends. It prints "ready URL" first.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

func main() {
	etcdtest.Member()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "etcd")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cluster, err := etcdtest.Start(dir, etcdtest.Options{})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	fmt.Println("ready", cluster.Endpoints()[0])
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
