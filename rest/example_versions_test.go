package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Shelf is a kind as it is stored.
type Shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec ShelfSpec `json:"spec"`
}

type ShelfSpec struct {
	WidthMillimeters int32 `json:"widthMillimeters" api:"min=1"`
}

// ShelfV1beta1 is the kind as its first clients know it.
type ShelfV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec ShelfV1beta1Spec `json:"spec"`
}

type ShelfV1beta1Spec struct {
	WidthCm int32 `json:"widthCm" api:"min=1"`
}

// Serve an older version of a kind beside the one that is stored. What is written in one is read in the other.
func ExampleConverted() {
	shelves := rest.Resource[Shelf]{
		Group: "library.example.com", Version: "v1", Plural: "shelves",
		Versions: []rest.VersionOf[Shelf]{
			rest.Converted(rest.Resource[ShelfV1beta1]{Version: "v1beta1", Stage: rest.Stage{Deprecated: true}},
				func(in *ShelfV1beta1, out *Shelf) error {
					out.Spec.WidthMillimeters = 10 * in.Spec.WidthCm
					return nil
				},
				func(in *Shelf, out *ShelfV1beta1) error {
					out.Spec.WidthCm = in.Spec.WidthMillimeters / 10
					return nil
				}),
		},
	}
	api, err := rest.New(rest.Options{}, shelves)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	older, err := rest.ClientForType[ShelfV1beta1](api)
	if err != nil {
		log.Fatal(err)
	}
	older = older.Namespace("default")
	if _, err := older.Create(ctx,
		&ShelfV1beta1{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: ShelfV1beta1Spec{WidthCm: 80}}); err != nil {
		log.Fatal(err)
	}
	current, err := rest.ClientForType[Shelf](api)
	if err != nil {
		log.Fatal(err)
	}
	shelf, err := current.Namespace("default").Get(ctx, "a")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shelf.APIVersion, shelf.Spec.WidthMillimeters)
	// Output: library.example.com/v1 800
}

// ArchiveShelf is the Go type of the kind in its other group.
type ArchiveShelf Shelf

// Serve a kind in two groups. Both show the same objects.
func ExampleConverted_groups() {
	shelves := rest.Resource[Shelf]{
		Group: "library.example.com", Version: "v1", Plural: "shelves",
		Versions: []rest.VersionOf[Shelf]{
			rest.Converted[Shelf](rest.Resource[ArchiveShelf]{Group: "archive.example.com", Version: "v1"}, nil, nil),
		},
	}
	api, err := rest.New(rest.Options{}, shelves)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	current, err := rest.ClientForType[Shelf](api)
	if err != nil {
		log.Fatal(err)
	}
	written, err := current.Namespace("default").Create(ctx,
		&Shelf{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: ShelfSpec{WidthMillimeters: 800}})
	if err != nil {
		log.Fatal(err)
	}
	archived, err := rest.ClientForType[ArchiveShelf](api)
	if err != nil {
		log.Fatal(err)
	}
	read, err := archived.Namespace("default").Get(ctx, "a")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.APIVersion, read.Spec.WidthMillimeters, read.UID == written.UID)
	// Output: archive.example.com/v1 800 true
}
