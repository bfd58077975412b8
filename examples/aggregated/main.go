// Command aggregated serves a kind inside a Kubernetes cluster, as an aggregated API server: kubectl get reports shows
// its objects beside all others of the cluster, with the users and the rights of the cluster. docs/aggregated.md says
// how to deploy it; the manifests are in the directory deploy.
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

	"github.com/decorum-go/decorum/examples/program"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/kubeconfig"
	"github.com/decorum-go/decorum/storage/bolt"
)

func main() { program.Main("aggregated", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("aggregated", flag.ContinueOnError)
	flags.SetOutput(stdout)
	listen := flags.String("listen", ":6443", "address to serve on; port 0 selects a free port")
	service := flags.String("service", "reports", "name of the Service of the program, in its own namespace")
	file := flags.String("store", "reports.db", "file that keeps the objects")
	credentials := flags.String("credentials", "", "directory with the credentials of the Pod, if not the usual one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stdout, nil))
	store, err := bolt.Open(ctx, bolt.Options{Path: *file})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	pod, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{Dir: *credentials})
	if err != nil {
		return err
	}
	cluster, err := aggregated.New(aggregated.Options{
		Cluster: pod.Server,
		Publish: &aggregated.Publication{
			Service: apiservice.ServiceReference{Namespace: pod.Namespace, Name: *service},
			Groups:  []string{"reports.example.com"},
		},
		Logger: logger,
	})
	if err != nil {
		return err
	}
	api, err := rest.New(rest.Options{Store: store, Logger: logger, Plugins: []rest.Plugin{cluster}}, reports())
	if err != nil {
		return err
	}
	return host.Run(ctx, api, host.Options{
		Server:      &http.Server{Addr: *listen, TLSConfig: cluster.TLSConfig()},
		NoLifecycle: true, // the cluster collects garbage and empties namespaces
		Ready:       func(address net.Addr) { fmt.Fprintf(stdout, "ready https://%s\n", address) },
	})
}
