// Command quickstart serves one useful kind, Database, from memory or a file, beside
// the Namespaces and Events that everybody asks for. A controller in the same process
// updates the status of each database, so that kubectl shows a live system:
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart --store databases.db
//	go run ./examples/quickstart --crds
//
// With --crds, kubectl adds kinds: the program serves every CustomResourceDefinition
// that is applied.
//
// It prints the commands to try. Read database.go for the kind and operator.go
// for the controller. This file is the part that every HTTP server has.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/console"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

func main() { program.Main("quickstart", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	path := flags.String("store", "", "file that keeps the objects; without one they are in memory only")
	crds := flags.Bool("crds", false,
		"serve the kinds of applied CustomResourceDefinitions; their rules in CEL have no effect here")
	if err := flags.Parse(args); err != nil {
		return err
	}

	store, end, err := openStore(ctx, *path)
	if err != nil {
		return err
	}
	defer store.Close()
	var plugins []rest.Plugin
	if *crds {
		plugins = append(plugins, crd.New(crd.Options{IgnoreRules: true}))
	}
	api, err := rest.New(rest.Options{Store: store, Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}},
		Plugins: plugins},
		builtin.Namespaces(), builtin.Events(), databases())
	if err != nil {
		return err
	}
	client, err := rest.ClientForType[Database](api)
	if err != nil {
		return err
	}
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: *listen, Handler: withConsole(api)},
		Controllers: controller.Group{operator(client.FieldManager("database-operator")).Run},
		Ready:       func(address net.Addr) { printTour(stdout, "http://"+address.String(), *crds, end) },
	})
}

// withConsole serves the console at /console/ and the API everywhere else. It uses no http.ServeMux, because that would
// redirect paths with two slashes before the API sees them.
func withConsole(api http.Handler) http.Handler {
	page := console.New(console.Options{API: "/"})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/console/") {
			page.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// openStore opens a store in a file or, if path is empty, in memory. It also returns a sentence
// about what happens to the objects when the program ends.
func openStore(ctx context.Context, path string) (store storage.Store, end string, err error) {
	if path == "" {
		return memory.New(storage.Options{}), "The objects are in memory only, and are lost then.", nil
	}
	store, err = bolt.Open(ctx, bolt.Options{Path: path}) // an error leaves no store to close
	return store, "The objects stay in " + path + ".", err
}

// printTour prints the commands to try, and last what happens to the objects when the program ends.
func printTour(stdout io.Writer, url string, crds bool, end string) {
	fmt.Fprintf(stdout, tour, url)
	if crds {
		fmt.Fprintf(stdout, tourOfDefinitions, url)
	}
	fmt.Fprintf(stdout, "\nCtrl-C ends it. %s\n", end)
}

const tour = `ready %[1]s

Open %[1]s/console/ in a browser, and in another terminal:

  kubectl --server %[1]s api-resources
  kubectl --server %[1]s get namespaces
  kubectl --server %[1]s explain database.spec
  kubectl --server %[1]s apply -f examples/quickstart/sample.yaml
  kubectl --server %[1]s wait --for=condition=Ready database/orders
  kubectl --server %[1]s get databases
  kubectl --server %[1]s patch db orders --type=merge -p '{"spec":{"replicas":5}}'
  kubectl --server %[1]s get db orders -o yaml
  kubectl --server %[1]s delete db orders
`

const tourOfDefinitions = `
A kind that the program was not compiled with, such as this one or your own:

  kubectl --server %[1]s apply -f examples/quickstart/definition.yaml
  kubectl --server %[1]s wait --for=condition=Established crd/backups.ops.example.com
  kubectl --server %[1]s explain backup.spec
  kubectl --server %[1]s apply -f examples/quickstart/sample-backup.yaml
  kubectl --server %[1]s get backups
`
