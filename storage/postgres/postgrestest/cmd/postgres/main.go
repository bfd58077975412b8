// Command postgres starts an empty server of Postgres and prints its URL, until its standard input ends. It ends with
// the status 3 if Postgres is not installed.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// notInstalled is the status of a program that has found no Postgres.
const notInstalled = 3

func main() {
	err := run()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, postgrestest.ErrNotInstalled) {
		os.Exit(notInstalled)
	}
	os.Exit(1)
}

func run() error {
	server, err := postgrestest.Start(postgrestest.Options{})
	if err != nil {
		return err
	}
	fmt.Println("ready " + server.URL("postgres"))
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, server.Stop())
}
