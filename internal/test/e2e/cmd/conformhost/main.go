// Command conformhost serves the kinds that the transcripts of rest/conformance use: Widget as a custom kind, and some
// of Kubernetes' own.
//
//	go run ./cmd/conformhost --listen 127.0.0.1:8080 --prefix /p
//
// It prints "ready URL" once it accepts requests, and exits on an interrupt.
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
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/corekinds"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/postgres"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "conformhost:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("conformhost", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:8080", "address to serve on; port 0 takes a free port")
	prefix := flags.String("prefix", "", "path to serve below, like /p")
	backend := flags.String("store", "memory",
		"where objects are kept: memory, bolt:FILE, embedded:DIRECTORY, etcd:URL, whose path is the prefix, or postgres:URL")
	follow := flags.Bool("lifecycle", false,
		"collect garbage, empty namespaces, and give Widgets the grace period that clients ask for")
	crds := flags.Bool("crds", false, "serve CustomResourceDefinitions and the kinds that they describe")
	widgets := flags.String("widget", "go",
		"where the kind Widget comes from: go, its struct, or crd, its CustomResourceDefinition, which implies --crds")
	services := flags.Bool("apiservices", false, "serve APIServices")
	own := flags.Bool("builtin", false,
		"serve namespaces, leases, events and service accounts from packages rest/builtin and rest/serviceaccount instead of module k8s")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	store, err := openStore(ctx, *backend)
	if err != nil {
		return err
	}
	defer store.Close()
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	plugins := []rest.Plugin{auth.Reviews()}
	if *own {
		plugins = append(plugins, new(corekinds.Accounts))
	}
	if *crds || *widgets == "crd" {
		plugins = append(plugins, crd.New(crd.Options{Logger: logger}))
	}
	if *services {
		plugins = append(plugins, apiservice.New(apiservice.Options{Logger: logger}))
	}
	api, err := rest.New(rest.Options{Store: store, Logger: logger, Authorizer: access.AuthorizerFunc(corekinds.Decide),
		CEL: cel.Evaluator(), Plugins: plugins}, definitions(*follow, *own, *widgets)...)
	if err != nil {
		return err
	}
	defer api.Close()
	if err := api.Start(ctx); err != nil {
		return err
	}
	if *widgets == "crd" {
		if err := widget.Define(ctx, api); err != nil {
			return err
		}
	}
	// The recorded server had compacted its first revisions, so a watch from revision 1 must get 410 here too. The only
	// change that this drops is the creation of the namespace "default".
	if err := store.Compact(ctx, store.Revision()); err != nil {
		return err
	}
	if *follow {
		ended := controllers(ctx, api, lifecycle.Options{Logger: logger})
		defer ended()
	}
	return serve(ctx, api, *listen, strings.TrimSuffix(*prefix, "/"), stdout)
}

// controllers runs the controllers of package lifecycle until ctx ends. The returned function waits for them to end.
func controllers(ctx context.Context, api *rest.API, options lifecycle.Options) (ended func()) {
	var running sync.WaitGroup
	for _, run := range []func(context.Context, *rest.API, lifecycle.Options) error{
		lifecycle.CollectGarbage, lifecycle.EmptyNamespaces} {
		running.Go(func() {
			if err := run(ctx, api, options); err != nil {
				options.Logger.Error("a controller has stopped", "error", err)
			}
		})
	}
	return running.Wait
}

func openStore(ctx context.Context, name string) (storage.Store, error) {
	kind, path, _ := strings.Cut(name, ":")
	switch {
	case name == "memory":
		return memory.New(storage.Options{}), nil
	case kind == "bolt" && path != "":
		return bolt.Open(ctx, bolt.Options{Path: path})
	case kind == "embedded" && path != "":
		return embedded.Open(ctx, embedded.Options{Dir: path})
	case kind == "etcd":
		if u, err := url.Parse(path); err == nil && u.Host != "" {
			return etcd.Open(ctx, etcd.Options{Config: clientv3.Config{Endpoints: []string{u.Scheme + "://" + u.Host}},
				Prefix: u.Path})
		}
	case kind == "postgres" && path != "":
		return openPostgres(ctx, path)
	}
	return nil, fmt.Errorf("--store %q: the stores are memory, bolt:FILE, embedded:DIRECTORY, etcd:URL and postgres:URL", name)
}

// pooled is a store that closes its pool.
type pooled struct {
	*postgres.Store
	pool *pgxpool.Pool
}

func (p pooled) Close() error {
	err := p.Store.Close()
	p.pool.Close()
	return err
}

func openPostgres(ctx context.Context, url string) (storage.Store, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	store, err := postgres.Open(ctx, postgres.Options{Pool: pool})
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pooled{store, pool}, nil
}

// serve answers requests below a prefix until ctx ends. It then ends the watches and finishes the other requests.
func serve(ctx context.Context, api *rest.API, listen, prefix string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.StripPrefix(prefix, api)}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ended <- errors.Join(api.Close(), server.Shutdown(context.Background()))
	})
	fmt.Fprintf(stdout, "ready http://%s%s\n", listener.Addr(), prefix)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	return <-ended
}
