// This program serves widgets to kubectl and other Kubernetes clients. Its controller grows or shrinks each widget to
// the size in its spec. Replace the kind and the controller with your own.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/host"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "the `ADDRESS` to serve on; port 0 selects a free port")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends. An API without users must not answer under a host name that a web page chooses, so
// Browsers.AllowedHosts lists the host names that your clients use. Clients can always use an IP address.
func run(ctx context.Context, listen string) error {
	api, err := rest.New(rest.Options{Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}}, widgets())
	if err != nil {
		return err
	}
	client, err := rest.ClientForType[Widget](api)
	if err != nil {
		return err
	}
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: listen, Handler: api},
		Controllers: controller.Group{newSizes(client).Run},
		Ready:       func(address net.Addr) { fmt.Printf("ready http://%s\n", address) },
	})
}
