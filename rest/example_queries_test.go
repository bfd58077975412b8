package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Parcel is a kind that clients query by its weight and destination.
type Parcel struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec ParcelSpec `json:"spec"`
}

type ParcelSpec struct {
	Grams       int64  `json:"grams"`
	Destination string `json:"destination"`
}

func newParcels() *rest.API {
	api, err := rest.New(rest.Options{Queries: &rest.Queries{}}, rest.Resource[Parcel]{
		Group: "post.example.com", Version: "v1", Plural: "parcels",
		SelectableFields: []string{"spec.grams", "spec.destination"},
	})
	if err != nil {
		log.Fatal(err)
	}
	parcels, err := rest.ClientForType[Parcel](api)
	if err != nil {
		log.Fatal(err)
	}
	for name, spec := range map[string]ParcelSpec{
		"books": {Grams: 2500, Destination: "Oslo"}, "letter": {Grams: 20, Destination: "Rome"},
		"shoes": {Grams: 900, Destination: "Rome"}, "wine": {Grams: 1500, Destination: "Lima"},
	} {
		parcel := &Parcel{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: spec}
		if _, err := parcels.Namespace("default").Create(context.Background(), parcel); err != nil {
			log.Fatal(err)
		}
	}
	return api
}

// List the heaviest parcels to two places. Over HTTP, the same list is
// GET …/parcels?fieldQuery=spec.destination in (Oslo,Rome),spec.grams>=100&sortBy=-spec.grams&limit=10.
func ExampleQueries() {
	api := newParcels()
	defer api.Close()
	parcels, err := rest.ClientForType[Parcel](api)
	if err != nil {
		log.Fatal(err)
	}
	page, err := parcels.List(context.Background(), rest.ListOptions{
		FieldQuery: "spec.destination in (Oslo,Rome),spec.grams>=100",
		SortBy:     "-spec.grams", Limit: 10,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range page.Items {
		fmt.Println(p.Name, p.Spec.Grams)
	}
	// Output:
	// books 2500
	// shoes 900
}

// Count the parcels to each place. Over HTTP, the same is GET
// …/parcels?facets=spec.destination&fieldQuery=spec.grams<2000.
func ExampleClient_Count() {
	api := newParcels()
	defer api.Close()
	parcels, err := rest.ClientForType[Parcel](api)
	if err != nil {
		log.Fatal(err)
	}
	counts, err := parcels.Count(context.Background(), rest.CountOptions{
		FieldQuery: "spec.grams<2000", By: []string{"spec.destination"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range counts.Facets[0].Values {
		fmt.Println(v.Value, v.Count)
	}
	// Output:
	// Rome 2
	// Lima 1
}
