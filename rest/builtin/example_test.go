package builtin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

func Example() {
	api, err := rest.New(rest.Options{}, builtin.Namespaces(), builtin.Leases(), builtin.Events())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	namespaces, err := rest.ClientForType[builtin.Namespace](api)
	if err != nil {
		log.Fatal(err)
	}
	team, err := namespaces.Create(context.Background(),
		&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team-a"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(team.Name, team.Status.Phase)
	// Output: team-a Active
}
