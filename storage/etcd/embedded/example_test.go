package embedded_test

import (
	"context"
	"flag"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

// Each of three processes on three machines opens the store with the same flag.
func Example() {
	_ = serve(context.Background())
}

func serve(ctx context.Context) error {
	peers := flag.String("peers", "", "addresses of all replicas, such as 10.0.0.1:2380,10.0.0.2:2380,10.0.0.3:2380")
	flag.Parse()
	store, err := embedded.Open(ctx, embedded.Options{
		Dir: "/var/lib/platform", Peers: *peers, Authority: "/etc/platform/authority.pem",
	})
	if err != nil {
		return err
	}
	defer store.Close()
	return serveAPI(ctx, store)
}

// serveAPI represents the rest of the host, which passes the store to rest.New.
func serveAPI(context.Context, storage.Store) error { return nil }
