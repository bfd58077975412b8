// Command smallhost is a host that uses no Kubernetes module. It serves the kinds of package builtin and one kind of
// its own, and records an event for each change of a plant.
//
//	go run ./cmd/smallhost --listen 127.0.0.1:8080
//
// It prints "ready URL" once it accepts requests, and exits on an interrupt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/events"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// Plant is the host's own kind.
type Plant struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PlantSpec `json:"spec,omitzero"`
}

type PlantSpec struct {
	Litres int32 `json:"litres,omitempty"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on; port 0 takes a free port")
	flag.Parse()
	if err := run(ctx, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "smallhost:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, listen string) error {
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{lifecycle.New(lifecycle.Options{})}},
		rest.Resource[Plant]{Group: "garden.example.com", Version: "v1", Plural: "plants"},
		builtin.Namespaces(), builtin.Leases(), builtin.Events())
	if err != nil {
		return err
	}
	defer api.Close()
	if err := api.Start(ctx); err != nil {
		return err
	}
	eventClient, err := rest.ClientForType[builtin.CoreEvent](api)
	if err != nil {
		return err
	}
	plants, err := rest.ClientForType[Plant](api)
	if err != nil {
		return err
	}
	recorder := events.New(events.Options{Client: eventClient, KindOf: api.KindOf, Controller: "garden.example.com/host"})
	working := make(chan error, 2)
	go func() { working <- recorder.Run(ctx) }()
	go func() { working <- report(ctx, plants, recorder) }()

	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: api}
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		ended <- errors.Join(<-working, <-working, api.Close(), server.Shutdown(context.Background()))
	})
	fmt.Printf("ready http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// report records an event for each change of a plant, until ctx ends.
func report(ctx context.Context, plants rest.Client[Plant], recorder *events.Recorder) error {
	for event, err := range plants.Follow(ctx, rest.WatchOptions{}) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case event.Type != apimeta.EventDeleted:
			recorder.Normal(event.Object, "Seen", "Look", "It wants %d litres", event.Object.Spec.Litres)
		}
	}
	return nil
}
