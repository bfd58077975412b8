package quota_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// Every namespace may have two notes, and every user one megabyte.
func Example() {
	limits := func(of quota.Account) []quota.Limit {
		if of.User != "" {
			return []quota.Limit{{Name: "per-user", Bytes: 1 << 20}}
		}
		return []quota.Limit{{Name: "per-namespace", Resource: "notes.example.com", Objects: 2}}
	}
	store := memory.New(storage.Options{Ledger: quota.New(limits)})
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store},
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	alice, err := rest.ClientForType[Note](api)
	if err != nil {
		log.Fatal(err)
	}
	alice = alice.AsUser(access.User{Name: "alice"}).Namespace("team-a")
	for _, name := range []string{"first", "second", "third"} {
		if _, err := alice.Create(context.Background(), &Note{ObjectMeta: apimeta.ObjectMeta{Name: name}}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// notes.example.com "third" is forbidden: exceeded quota: per-namespace, requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=2
}

// Limits of named namespaces and users, over a file.
func ExampleFixed() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "objects.db")
	widgets := rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "widgets",
		Names: rest.Names{Kind: "Widget"}}

	limits := quota.Fixed(map[quota.Account][]quota.Limit{
		{Namespace: "team-a"}: {{Name: "widgets", Resource: "widgets.example.com", Objects: 100},
			{Name: "space", Bytes: 64 << 20}},
		{User: "guest"}: {{Name: "guests", Objects: 10}},
	})
	store, err := bolt.Open(ctx, bolt.Options{Path: path, Engine: storage.Options{Ledger: quota.New(limits)}})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store}, widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	fmt.Println("the limits hold for every client")
	// Output: the limits hold for every client
}
