// Command platform is the program of docs/guide.md: a platform that publishes
// sites. Its API is below /platform, the pages are below /pages, and a web page that shows the API is at /console/:
//
//	go run ./examples/platform
//	go run ./examples/platform --store sites.db
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/console"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/host"
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

	// A page in a browser must not reach it under another name.
	options := rest.Options{Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}}
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
	eventClient, err := rest.ClientForType[builtin.CoreEvent](api)
	if err != nil {
		return err
	}
	sites, err := rest.ClientForType[site.Site](api)
	if err != nil {
		return err
	}
	recorder := events.New(events.Options{Client: eventClient, Controller: "platform.example.com/publisher"})
	publisher := newPublisher(sites, recorder)

	mux := http.NewServeMux()
	mux.Handle("GET /pages/{namespace}/{name}", publisher)
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: *listen, Handler: mux},
		Services:    controller.Group{recorder.Run},
		Controllers: controller.Group{publisher.run},
		Ready:       func(address net.Addr) { fmt.Fprintf(stdout, "ready http://%s/platform\n", address) },
	})
}
