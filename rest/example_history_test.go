package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// A kind with a History keeps what its objects were. Here a client lists the versions of a Route, undoes the last one,
// and restores the Route after somebody has deleted it.
func ExampleHistory() {
	type RouteSpec struct {
		Backend string `json:"backend"`
	}
	type Route struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               RouteSpec `json:"spec"`
	}
	api, err := rest.New(rest.Options{}, rest.Resource[Route]{
		Group: "example.com", Version: "v1", Plural: "routes", History: &rest.History{Versions: 5},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	client, err := rest.ClientForType[Route](api)
	if err != nil {
		log.Fatal(err)
	}
	routes, ctx := client.Namespace("default").FieldManager("example"), context.Background()
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}

	_, err = routes.Create(ctx, &Route{ObjectMeta: apimeta.ObjectMeta{Name: "shop"}, Spec: RouteSpec{Backend: "blue"}})
	must(err)
	_, err = routes.Modify(access.WithUser(ctx, access.User{Name: "alice"}), "shop", func(r *Route) error {
		r.Spec.Backend = "green"
		return nil
	})
	must(err)
	past, err := rest.HistoryOf(routes).List(ctx, "shop")
	must(err)
	for _, v := range past.Items {
		fmt.Printf("%s by %q changed %v\n", v.Written.Operation, v.Written.User, v.Changed)
	}

	undone, err := rest.HistoryOf(routes).Undo(ctx, "shop", "", rest.UndoOptions{})
	must(err)
	fmt.Println("after undo:", undone.Spec.Backend)

	must(routes.Delete(ctx, "shop", rest.DeleteOptions{}))
	restored, err := rest.HistoryOf(routes).Undo(ctx, "shop", "", rest.UndoOptions{})
	must(err)
	fmt.Println("restored:", restored.Spec.Backend, restored.UID != undone.UID)
	// Output:
	// Update by "alice" changed [.spec.backend]
	// Create by "system:host" changed []
	// after undo: blue
	// restored: blue true
}
