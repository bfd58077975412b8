// Command warehouse serves stocks of parts below /platform, with the extensions of docs/extensions.md:
//
//	go run ./examples/warehouse
//
// Its own route moves pieces from one stock to another in one transaction. Clients change several stocks in one
// transaction, sort and filter stocks, and undo the changes of a stock.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/transaction"
)

func main() { program.Main("warehouse", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("warehouse", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	if err := flags.Parse(args); err != nil {
		return err
	}

	options := rest.Options{
		Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}, Queries: &rest.Queries{},
		Plugins: []rest.Plugin{transaction.New()},
	}
	api, err := rest.New(options, stocks())
	if err != nil {
		return err
	}
	client, err := rest.ClientForType[Stock](api)
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.Handle("POST /move/{from}/{to}", move(api, client.Namespace("default").FieldManager("mover")))
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	return host.Run(ctx, api, host.Options{
		Server: &http.Server{Addr: *listen, Handler: mux},
		Ready:  func(address net.Addr) { fmt.Fprintf(stdout, tour, "http://"+address.String()) },
	})
}

const tour = `ready %[1]s/platform

In another terminal:

  kubectl --server %[1]s/platform apply -f examples/warehouse/sample.yaml
  curl -X POST '%[1]s/move/oslo/rome?count=15'
  kubectl --server %[1]s create --raw /platform/extensions/transactions -f examples/warehouse/delivery.yaml
  kubectl --server %[1]s/platform get stocks
  stocks=/platform/apis/warehouse.example.com/v1/namespaces/default/stocks
  kubectl --server %[1]s get --raw "$stocks?fieldQuery=spec.count<20&sortBy=spec.count"
  kubectl --server %[1]s get --raw $stocks/oslo/history
  echo '{"apiVersion":"history.decorum-go.github.io/v1alpha1","kind":"UndoRequest"}' |
    kubectl --server %[1]s create --raw $stocks/oslo/undo -f -

Ctrl-C ends it. The objects are in memory only, and are lost then.
`
