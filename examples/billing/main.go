// Command billing is a service with a table in Postgres that gains an API for kubectl below /platform:
//
//	cd examples/billing && go run .
//
// Its routes insert and read rows. The object of an invoice is written in the transaction that inserts the row, and
// what kubectl changes in the object reaches the row by a controller. docs/path-service.md is the walk-through.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

func main() { program.Main("billing", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("billing", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	url := flags.String("postgres", "",
		"URL of the database; by default an empty one of a Postgres that the program starts, as it is installed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *url == "" {
		server, err := postgrestest.Start(postgrestest.Options{})
		if err != nil {
			return err
		}
		defer server.Stop()
		*url = server.URL("postgres")
	}
	pool, err := pgxpool.New(ctx, *url)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, table); err != nil {
		return err
	}
	return serve(ctx, pool, *listen, stdout)
}

// serve serves what the service had before, and the API, until ctx ends.
func serve(ctx context.Context, pool *pgxpool.Pool, listen string, stdout io.Writer) error {
	store, err := postgres.Open(ctx, postgres.Options{Pool: pool, Schema: "platform"})
	if err != nil {
		return err
	}
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store, Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}},
		invoices(), builtin.Leases())
	if err != nil {
		return err
	}
	client, err := rest.ClientForType[Invoice](api)
	if err != nil {
		return err
	}
	b := &billing{pool: pool, invoices: client.FieldManager("billing")}

	mux := http.NewServeMux()
	mux.HandleFunc("POST /invoices", b.issue)
	mux.HandleFunc("GET /invoices/{number}", b.show)
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: listen, Handler: mux},
		Controllers: controller.Group{b.run},
		Election:    &election.Options{Name: "billing"},
		Ready:       func(address net.Addr) { fmt.Fprintf(stdout, "ready http://%s/platform\n", address) },
	})
}
