package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Depot is a kind whose objects a program watches together with the parcels.
type Depot struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// Watch two kinds as one stream. The same code works with two clients of one [rest.Endpoint], which then send one
// request.
func ExampleWatchMany() {
	api, err := rest.New(rest.Options{Queries: &rest.Queries{}},
		rest.Resource[Parcel]{Group: "post.example.com", Version: "v1", Plural: "parcels",
			SelectableFields: []string{"spec.grams"}},
		rest.Resource[Depot]{Group: "post.example.com", Version: "v1", Plural: "depots"})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	parcels, err := rest.ClientForType[Parcel](api)
	if err != nil {
		log.Fatal(err)
	}
	depots, err := rest.ClientForType[Depot](api)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	oslo := &Depot{ObjectMeta: apimeta.ObjectMeta{Name: "oslo"}}
	if _, err := depots.Namespace("default").Create(ctx, oslo); err != nil {
		log.Fatal(err)
	}

	for e, err := range rest.WatchMany(ctx, "",
		parcels.Watched(rest.WatchOptions{FieldQuery: "spec.grams>1000"}), depots.Watched(rest.WatchOptions{})) {
		if err != nil {
			log.Fatal(err)
		}
		switch obj := e.Object.(type) {
		case *Depot:
			fmt.Println(e.Type, "depot", obj.Name)
		case *Parcel:
			fmt.Println(e.Type, "parcel", obj.Name, obj.Spec.Grams)
			return
		}
		if e.Complete {
			fmt.Println("all depots and heavy parcels are known")
			books := &Parcel{ObjectMeta: apimeta.ObjectMeta{Name: "books"}, Spec: ParcelSpec{Grams: 2500}}
			if _, err := parcels.Namespace("default").Create(ctx, books); err != nil {
				log.Fatal(err)
			}
		}
	}
	// Output:
	// ADDED depot oslo
	// all depots and heavy parcels are known
	// ADDED parcel books 2500
}
