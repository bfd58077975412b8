package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/socket"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/storage/bolt"
)

// clusterFlags are the flags of the program for people.
type clusterFlags struct {
	listen, store, kubeconfig, serviceRange string
	exposed                                 bool
	controllers                             []string
}

// serveCluster serves the API until ctx ends. It prints the URL of the API, and the path of a kubeconfig file for its
// administrator.
func serveCluster(ctx context.Context, p Process) error {
	f, err := parseClusterFlags(p)
	if err != nil {
		return err
	}
	listener, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer listener.Close()
	dir, removeDir, err := newFolder()
	if err != nil {
		return err
	}
	defer removeDir()
	if f.kubeconfig == "" {
		f.kubeconfig = filepath.Join(dir, "kubeconfig")
	}
	secrets, err := f.secrets()
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	certificate, err := secrets.Authority.Server("localhost", "127.0.0.1", "::1", host, "kubernetes.default.svc")
	if err != nil {
		return err
	}
	config := server.Config{
		Logger: slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Accounts: serviceaccount.Options{Issuer: "https://kubernetes.default.svc.cluster.local",
			Keys: []serviceaccount.Key{{Signer: secrets.AccountKey}}},
		Users:     []access.Authenticator{auth.Certificates(secrets.Authority.Pool())},
		Objects:   bootstrap.Config{ClientCA: secrets.Authority.Certificate(), Address: socket.Advertised(listener)},
		ServingCA: secrets.Authority.Certificate(), Controllers: f.controllers, Plugins: server.DefaultPlugins(f.controllers),
	}
	if config.Objects.ServiceRange, err = netip.ParsePrefix(f.serviceRange); err != nil {
		return fmt.Errorf("--service-cluster-ip-range: %w", err)
	}
	if f.store != "" {
		store, err := bolt.Open(ctx, bolt.Options{Path: f.store})
		if err != nil {
			return err
		}
		defer store.Close()
		config.Store = store
	}
	cluster, err := start(ctx, config)
	if err != nil {
		return err
	}
	defer cluster.Close()
	url := "https://" + listener.Addr().String()
	kubeconfig, err := pki.Kubeconfig(url, secrets.Authority, "kubernetes-admin", server.Masters)
	if err != nil {
		return err
	}
	if err := pki.WriteFile(f.kubeconfig, kubeconfig); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "ready %s\nkubeconfig %s\n", url, f.kubeconfig)
	return socket.Serve(ctx, listener, socket.TLS(certificate, secrets.Authority.Pool()), cluster.Handler())
}

func parseClusterFlags(p Process) (*clusterFlags, error) {
	var f clusterFlags
	set := flag.NewFlagSet("kubeapi", flag.ContinueOnError)
	set.SetOutput(p.Stderr)
	set.StringVar(&f.listen, "listen", "127.0.0.1:0", "the address to serve on; port 0 takes a free port")
	set.BoolVar(&f.exposed, "expose", false, "allow an address of --listen that other machines can reach")
	set.StringVar(&f.store, "store", "",
		"keep the objects in this file, and the keys beside it (default: keep them in memory)")
	set.StringVar(&f.kubeconfig, "kubeconfig", "",
		"write the kubeconfig to this file (default: a file that is removed at the end)")
	set.StringVar(&f.serviceRange, "service-cluster-ip-range", "10.0.0.0/24", "the addresses of Services")
	set.Func("controllers", "run these controllers, separated by commas, or all of them with *: "+
		strings.Join(server.Controllers(), ", "), func(s string) error {
		if f.controllers = strings.Split(s, ","); s == "*" {
			f.controllers = server.Controllers()
		}
		return nil
	})
	if err := set.Parse(p.Args[1:]); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	return &f, nil
}

// open listens on the address of the flags. Everybody who reaches the address can try to log in, so another machine
// must not reach it by accident.
func (f *clusterFlags) open(ctx context.Context) (net.Listener, error) {
	listener, err := socket.Listen(ctx, f.listen)
	if err != nil {
		return nil, err
	}
	if address, ok := listener.Addr().(*net.TCPAddr); !f.exposed && (!ok || !address.IP.IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("--listen %s: other machines can reach this address; if they should, add --expose",
			f.listen), listener.Close())
	}
	return listener, nil
}

// secrets returns new secrets, or those beside the file with the objects.
func (f *clusterFlags) secrets() (*pki.Secrets, error) {
	if f.store == "" {
		return pki.NewSecrets()
	}
	return pki.LoadSecrets(f.store + ".secrets")
}
