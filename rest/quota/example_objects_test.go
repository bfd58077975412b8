package quota_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// An administrator limits a namespace with an object, as kubectl create quota does.
func ExampleResourceQuotas() {
	quotas := quota.NewResourceQuotas(nil)
	store := memory.New(storage.Options{Ledger: quotas.Ledger})
	defer store.Close()
	notes := rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"}
	api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{quotas}}, notes)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	resourceQuotas, err := rest.ClientForType[quota.ResourceQuota](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = resourceQuotas.Namespace("team-a").Create(ctx, &quota.ResourceQuota{
		ObjectMeta: apimeta.ObjectMeta{Name: "small"},
		Spec:       quota.ResourceQuotaSpec{Hard: map[string]quota.Quantity{"count/notes.example.com": quota.Count(1)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	noteClient, err := rest.ClientForType[Note](api)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		_, err := noteClient.Namespace("team-a").Create(ctx, &Note{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// notes.example.com "two" is forbidden: exceeded quota: small, requested: count/notes.example.com=1, used: count/notes.example.com=1, limited: count/notes.example.com=1
}
