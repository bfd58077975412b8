// Command embed is a service with routes and middleware of its own that gains
// an API for kubectl below /platform:
//
//	go run ./examples/embed
//
// Its own route and the API work on the same objects: when a build server
// reports a finished rollout by POST /deployed/NAMESPACE/NAME?release=…, a
// `kubectl wait --for=condition=Ready` in a script returns.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/host"
)

func main() { program.Main("embed", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 selects a free port")
	if err := flags.Parse(args); err != nil {
		return err
	}

	logger := slog.New(slog.NewTextHandler(stdout, nil))
	api, err := rest.New(rest.Options{Logger: logger, Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}},
		environments())
	if err != nil {
		return err
	}
	client, err := rest.ClientForType[Environment](api)
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	mux.Handle("POST /deployed/{namespace}/{name}", deployed(client))
	mux.Handle("/platform/", http.StripPrefix("/platform", api)) // the one line that embeds

	return host.Run(ctx, api, host.Options{
		Server: &http.Server{Addr: *listen, Handler: logged(logger, mux)},
		Ready:  func(address net.Addr) { fmt.Fprintf(stdout, tour, "http://"+address.String()) },
	})
}

const tour = `ready %[1]s/platform

In another terminal:

  kubectl --server %[1]s/platform apply -f examples/embed/sample.yaml
  kubectl --server %[1]s/platform get environments
  curl -X POST '%[1]s/deployed/default/staging?release=v1.4.2'
  kubectl --server %[1]s/platform wait --for=condition=Ready environment/staging
  kubectl --server %[1]s/platform get env staging -o yaml

Ctrl-C ends it. The objects are in memory only, and are lost then.
`
