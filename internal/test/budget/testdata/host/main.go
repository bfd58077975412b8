// Command host is the smallest host that serves a kind: what it links is what
// embedding costs.
package main

import (
	"log"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Widget is a kind with nothing but what every kind has.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Size int32 `json:"size"`
	} `json:"spec"`
}

func main() {
	api, err := rest.New(rest.Options{}, rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
	})
	if err != nil {
		log.Fatal(err)
	}
	var _ storage.Store // a host that brings its own store imports the contract
	if _, err := rest.ClientForType[Widget](api); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", api))
}
