// Command controller is a host with its own controllers: a manager of controller-runtime in
// the same process calls the host's API through rest.RoundTripper. Only kubectl uses the port.
//
//	go run . --listen 127.0.0.1:8080
//
// Read manager.go for the connection between the two, reconciler.go for the loops, and
// database.go for the kinds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
)

func main() { program.Main("controller", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve kubectl on; port 0 selects a free port")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	defer listener.Close()

	api, err := rest.New(rest.Options{AllowedHosts: []string{"localhost"}}, resources()...)
	if err != nil {
		return err
	}
	manager, err := newManager(api, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return errors.Join(err, api.Close())
	}
	managing, stopManager := context.WithCancel(ctx)
	defer stopManager()
	managed := make(chan error, 1)
	go func() { managed <- manager.Start(managing) }()
	server := &http.Server{Handler: api, ReadTimeout: time.Minute, WriteTimeout: 70 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "ready http://%s\n", listener.Addr())

	select {
	case <-ctx.Done():
	case err = <-served:
	case err = <-managed:
		managed <- nil // the code below waits for it
	}
	// Stop the controllers first, then the watches, then the connections: each would otherwise
	// delay the next.
	stopManager()
	err = errors.Join(err, <-managed)
	grace, cancel := context.WithTimeout(context.Background(), program.ShutdownTimeout)
	defer cancel()
	return errors.Join(err, api.Shutdown(grace), server.Shutdown(grace))
}
