package events_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/events"
)

func Example() {
	widgets := rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"}
	api, err := rest.New(rest.Options{}, builtin.Events(), widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	coreEvents, err := rest.ClientForType[builtin.CoreEvent](api)
	if err != nil {
		log.Fatal(err)
	}
	recorder := events.New(events.Options{Client: coreEvents, KindOf: api.KindOf, Controller: "example.com/sizes"})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- recorder.Run(ctx) }()

	first := &Widget{ObjectMeta: apimeta.ObjectMeta{Namespace: "default", Name: "first"}}
	for range 3 {
		recorder.Normal(first, "Resized", "Resize", "The size is now %d", 5)
	}

	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	for e, err := range coreEvents.All(context.Background(), rest.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s/%s: %s (%d times)\n", e.Reason, e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Message,
			e.Series.Count)
	}
	// Output: Resized Widget/first: The size is now 5 (3 times)
}
