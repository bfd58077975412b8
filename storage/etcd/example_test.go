package etcd_test

import (
	"context"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage/etcd"
)

// Each replica of a host opens the same prefix, and passes the store to its API as rest.Options.Store.
func ExampleOpen() {
	store, err := etcd.Open(context.Background(), etcd.Options{
		Config: clientv3.Config{Endpoints: []string{"http://127.0.0.1:2379"}},
		Prefix: "/platform",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close() // after the API
}
