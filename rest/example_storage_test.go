package rest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// A host that keeps its objects in a file opens the store first, and closes it last.
func Example_file() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	ctx, path := context.Background(), filepath.Join(directory, "objects.db")
	serve := func(ctx context.Context, widgets rest.Resource[apitest.Widget]) error {
		store, err := bolt.Open(ctx, bolt.Options{Path: path})
		if err != nil {
			return err
		}
		defer store.Close()
		api, err := rest.New(rest.Options{Store: store}, widgets)
		if err != nil {
			return err
		}
		defer api.Close()
		client, err := rest.ClientForType[apitest.Widget](api)
		if err != nil {
			return err
		}
		client = client.Namespace("default")
		if _, err := client.Get(ctx, "first"); err == nil {
			fmt.Println("the widget is still there")
			return nil
		}
		_, err = client.Create(ctx, &apitest.Widget{ObjectMeta: apimeta.ObjectMeta{Name: "first"},
			Spec: apitest.WidgetSpec{Size: new(int32(1))}})
		return err
	}
	for range 2 {
		if err := serve(ctx, apitest.WidgetResource()); err != nil {
			fmt.Println(err)
		}
	}
	// Output: the widget is still there
}

// A host keeps Events in memory, and everything else in a file.
func Example_storeOfAKind() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	ctx, path, widgets := context.Background(), filepath.Join(directory, "objects.db"), apitest.WidgetResource()

	file, err := bolt.Open(ctx, bolt.Options{Path: path})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	events := memory.New(storage.Options{})
	defer events.Close()
	api, err := rest.New(rest.Options{Store: file, Stores: map[apimeta.GroupResource]storage.Store{
		{Resource: "events"}: events,
	}}, builtin.Namespaces(), builtin.Events(), widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	for _, r := range api.Objects().Resources() {
		fmt.Println(r.Name, r.Store)
	}
	// Output:
	// namespaces 0
	// events 1
	// widgets.example.com 0
}
