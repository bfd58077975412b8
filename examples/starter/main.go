// This program serves widgets to kubectl and other Kubernetes clients, and its controller brings each widget to the size
// that its spec asks for. Replace the kind and the controller by your own.
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

// run serves until ctx ends. Without users, the API must not answer under a name that a web page points to it, so
// Browsers.AllowedHosts has each name under which your clients reach it. They can always use an IP address.
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
