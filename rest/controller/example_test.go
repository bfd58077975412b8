package controller_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
)

// Lamp is a kind whose controller makes the status match the spec.
type Lamp struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   LampState `json:"spec"`
	Status LampState `json:"status,omitzero"`
}

type LampState struct {
	Lit bool `json:"lit,omitempty"`
}

func lampAPI() *rest.API {
	api, err := rest.New(rest.Options{}, rest.Resource[Lamp]{Group: "home.example.com", Version: "v1", Plural: "lamps"})
	if err != nil {
		log.Fatal(err)
	}
	return api
}

// A controller acts on the present state, and writes the status.
func Example() {
	api := lampAPI()
	defer api.Close()
	lamps, err := rest.ClientForType[Lamp](api)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())

	_, err = lamps.Namespace("kitchen").Create(ctx,
		&Lamp{ObjectMeta: apimeta.ObjectMeta{Name: "table"}, Spec: LampState{Lit: true}})
	if err != nil {
		log.Fatal(err)
	}
	informer := controller.NewInformer(lamps, controller.InformerOptions[Lamp]{})
	informer.AddHandler(controller.Handler[Lamp]{OnUpdate: func(_, lamp *Lamp) {
		fmt.Println(lamp.Name, "is lit:", lamp.Status.Lit)
		stop() // the example ends here
	}})
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		lamp, ok := informer.Get(key.Namespace, key.Name)
		if !ok || lamp.Status == lamp.Spec {
			return controller.Result{}, nil // deleted, or as it should be
		}
		_, err := informer.Client().Namespace(key.Namespace).ModifyStatus(ctx, key.Name, func(lamp *Lamp) error {
			lamp.Status = lamp.Spec // a real controller would switch the lamp here
			return nil
		})
		return controller.Result{}, err
	}
	if err := controller.New(reconcile, controller.Options{}, controller.For(informer)).Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: table is lit: true
}

// An informer answers from memory, also queries for which the API has no field selector.
func ExampleInformer() {
	api := lampAPI()
	defer api.Close()
	lamps, err := rest.ClientForType[Lamp](api)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	for name, lit := range map[string]bool{"table": true, "wall": false, "window": true} {
		_, err := lamps.Namespace("kitchen").Create(ctx,
			&Lamp{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: LampState{Lit: lit}})
		if err != nil {
			log.Fatal(err)
		}
	}

	informer := controller.NewInformer(lamps, controller.InformerOptions[Lamp]{
		Indexes: map[string]controller.IndexFunc[Lamp]{
			"lit": func(lamp *Lamp) []string { return []string{fmt.Sprint(lamp.Spec.Lit)} },
		},
	})
	ended := make(chan error)
	go func() { ended <- informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		log.Fatal(err)
	}
	lit, err := informer.ByIndex("lit", "true")
	if err != nil {
		log.Fatal(err)
	}
	for _, lamp := range lit {
		fmt.Println(lamp.Name)
	}
	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	// Output:
	// table
	// window
}
