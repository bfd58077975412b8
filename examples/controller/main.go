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

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/host"
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
	api, err := newAPI()
	if err != nil {
		return err
	}
	manager, err := newManager(api, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return errors.Join(err, api.Close())
	}
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: *listen},
		Controllers: controller.Group{manager.Start},
		Ready:       func(address net.Addr) { fmt.Fprintf(stdout, "ready http://%s\n", address) },
	})
}

// newAPI returns the API of both kinds. It has no users, so it answers under no name that a web page could point to it.
func newAPI() (*rest.API, error) {
	return rest.New(rest.Options{Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}}, resources()...)
}
