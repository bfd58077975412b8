package seed_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/seed"
)

func ExampleApply() {
	api, err := rest.New(rest.Options{}, builtin.Namespaces())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	objects := fstest.MapFS{"teams.yaml": {Data: []byte(`
apiVersion: v1
kind: Namespace
metadata: {name: team-a}
---
apiVersion: v1
kind: Namespace
metadata: {name: team-b}
`)}} // usually an embed.FS
	if err := seed.Apply(context.Background(), api, objects, seed.Options{}); err != nil {
		log.Fatal(err)
	}
	namespaces, err := rest.ClientForType[builtin.Namespace](api)
	if err != nil {
		log.Fatal(err)
	}
	for namespace, err := range namespaces.All(context.Background(), rest.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(namespace.Name)
	}
	// Output:
	// default
	// team-a
	// team-b
}

// As a plug-in, the objects exist before the API serves.
func ExampleNew() {
	objects := fstest.MapFS{"teams.yaml": {Data: []byte("{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}")}} // usually an embed.FS
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{seed.New(objects, seed.Options{})}}, builtin.Namespaces())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	namespaces, err := rest.ClientForType[builtin.Namespace](api)
	if err != nil {
		log.Fatal(err)
	}
	namespace, err := namespaces.Get(context.Background(), "team-a")
	fmt.Println(namespace.Name, err)
	// Output: team-a <nil>
}
