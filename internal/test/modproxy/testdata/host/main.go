// A host as a user writes it, with all public modules.
package main

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth/oidc"
	"github.com/decorum-go/decorum/rest/cbor"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/postgres"
)

var _, _, _ storage.Store = (*etcd.Store)(nil), (*embedded.Store)(nil), (*postgres.Store)(nil)

type Range struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               RangeSpec `json:"spec"`
}

type RangeSpec struct {
	Min int32 `json:"min"`
	Max int32 `json:"max"`
}

func main() {
	people, err := oidc.New(oidc.Options{Issuer: "https://login.example.com", ClientIDs: []string{"host"}})
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(rest.Options{CBOR: cbor.Format(), Authenticator: people}, k8s.Resource[corev1.ConfigMap](),
		rest.Resource[Range]{
			Group: "example.com", Version: "v1", Plural: "ranges",
			Rules: cel.New(cel.Rules{"RangeSpec": {{Rule: "self.min <= self.max", Message: "min is above max"}}}),
		})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	ranges, err := rest.ClientForType[Range](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = ranges.Namespace("default").Create(context.Background(), &Range{
		ObjectMeta: apimeta.ObjectMeta{Name: "a"},
		Spec:       RangeSpec{Min: 2, Max: 1},
	})
	if !status.IsInvalid(err) {
		log.Fatalf("the rule was not evaluated: %v", err)
	}
	fmt.Println(err)
}
