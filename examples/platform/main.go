// Command platform is the program of docs/guide.md: a platform that publishes
// sites. Its API is below /platform, and the pages are below /pages:
//
//	go run ./examples/platform
//	go run ./examples/platform --store sites.db
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/storage/bolt"
)

func main() { program.Main("platform", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("platform", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	path := flags.String("store", "", "file that keeps the objects; without one they are in memory only")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	defer listener.Close()

	options := rest.Options{AllowedHosts: []string{"localhost"}} // a page in a browser must not reach it under another name
	if *path != "" {
		store, err := bolt.Open(ctx, bolt.Options{Path: *path})
		if err != nil {
			return err
		}
		defer store.Close()
		options.Store = store
	}
	api, err := rest.New(options, site.Resource(), builtin.Events())
	if err != nil {
		return err
	}
	recorder := events.New(events.Options{Client: rest.ClientFor[builtin.CoreEvent](api), Controller: "platform.example.com/publisher"})
	publisher := newPublisher(rest.ClientFor[site.Site](api), recorder)

	mux := http.NewServeMux()
	mux.Handle("GET /pages/{namespace}/{name}", publisher)
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	server := &http.Server{Handler: mux, ReadTimeout: time.Minute, WriteTimeout: 70 * time.Second}
	fmt.Fprintf(stdout, "ready http://%s/platform\n", listener.Addr())

	ended := make(chan error, 4)
	go func() { ended <- server.Serve(listener) }()
	go func() { ended <- publisher.run(ctx) }()
	go func() { ended <- recorder.Run(ctx) }()
	go func() { ended <- lifecycle.Run(ctx, api, lifecycle.Options{}) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), program.ShutdownTimeout)
	defer cancel()
	return errors.Join(err, api.Shutdown(grace), server.Shutdown(grace)) // the API first, because it ends the watches
}
