package controller_test

import (
	"context"
	"fmt"
	"log"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// Room is a kind whose controller creates a Lamp for each Room.
type Room struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   RoomSpec   `json:"spec"`
	Status RoomStatus `json:"status,omitzero"`
}

type RoomSpec struct {
	Dark bool `json:"dark,omitempty"`
}

type RoomStatus struct {
	Ready bool `json:"ready,omitempty"`
}

func roomAPI() *rest.API {
	api, err := rest.New(rest.Options{},
		rest.Resource[Lamp]{Group: "home.example.com", Version: "v1", Plural: "lamps"},
		rest.Resource[Room]{Group: "home.example.com", Version: "v1", Plural: "rooms"})
	if err != nil {
		log.Fatal(err)
	}
	return api
}

// The controller keeps a Lamp for each Room, and lights it while the room is dark. The Room is the controller of the
// Lamp, so a change of the Lamp reconciles the Room, and the garbage collector deletes the Lamp after the Room.
func ExampleCreateOrUpdate() {
	api := roomAPI()
	defer api.Close()
	ctx := context.Background()
	rooms, err := rest.ClientForType[Room](api)
	if err != nil {
		log.Fatal(err)
	}
	lamps, err := rest.ClientForType[Lamp](api)
	if err != nil {
		log.Fatal(err)
	}
	rooms, lamps = rooms.Namespace("home"), lamps.Namespace("home")

	reconcile := func(room *Room) error {
		lamp, outcome, err := controller.CreateOrUpdate(ctx, lamps, room.Name, func(lamp *Lamp) error {
			lamp.Spec.Lit = room.Spec.Dark
			return controller.SetControllerReference(room, lamp)
		})
		if err != nil {
			return err
		}
		fmt.Println("lamp", lamp.Name, "of", lamp.OwnerReferences[0].Kind, lamp.OwnerReferences[0].Name, outcome)
		return nil
	}

	room, err := rooms.Create(ctx, &Room{ObjectMeta: apimeta.ObjectMeta{Name: "kitchen"}})
	for _, dark := range []bool{true, true, false} {
		if err != nil {
			log.Fatal(err)
		}
		room.Spec.Dark = dark
		err = reconcile(room)
	}
	// Output:
	// lamp kitchen of Room kitchen created
	// lamp kitchen of Room kitchen unchanged
	// lamp kitchen of Room kitchen updated
}

// A finalizer keeps a deleted Room until the controller has cleaned up.
func ExampleController_finalizer() {
	const power = "home.example.com/power"
	api := roomAPI()
	defer api.Close()
	ctx, stop := context.WithCancel(context.Background())
	rooms, err := rest.ClientForType[Room](api)
	if err != nil {
		log.Fatal(err)
	}

	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		room, err := rooms.Namespace(key.Namespace).Get(ctx, key.Name)
		switch {
		case status.IsNotFound(err):
			fmt.Println(key, "is gone")
			stop() // the example ends here
			return controller.Result{}, nil
		case err != nil:
			return controller.Result{}, err
		case room.DeletionTimestamp != nil && room.HasFinalizer(power):
			fmt.Println("switch the power of", key, "off") // may run twice, as a reconciler may
			_, err = rooms.Namespace(key.Namespace).Modify(ctx, key.Name, func(room *Room) error {
				room.RemoveFinalizer(power)
				return nil
			})
		case room.DeletionTimestamp == nil && !room.HasFinalizer(power):
			_, err = rooms.Namespace(key.Namespace).Modify(ctx, key.Name, func(room *Room) error {
				room.AddFinalizer(power)
				return nil
			})
		case room.DeletionTimestamp == nil:
			fmt.Println("switch the power of", key, "on")
			err = rooms.Namespace(key.Namespace).Delete(ctx, key.Name, rest.DeleteOptions{}) // usually, a user does this
		}
		return controller.Result{}, err
	}

	if _, err := rooms.Namespace("home").Create(ctx, &Room{ObjectMeta: apimeta.ObjectMeta{Name: "kitchen"}}); err != nil {
		log.Fatal(err)
	}
	informer := controller.NewInformer(rooms, controller.InformerOptions[Room]{})
	if err := controller.New(reconcile, controller.Options{}, controller.For(informer)).Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// switch the power of home/kitchen on
	// switch the power of home/kitchen off
	// home/kitchen is gone
}

// A change or a deletion of a Lamp reconciles the Room that owns it.
func ExampleOwned() {
	api := roomAPI()
	defer api.Close()
	ctx, stop := context.WithCancel(context.Background())
	rooms, err := rest.ClientForType[Room](api)
	if err != nil {
		log.Fatal(err)
	}
	lamps, err := rest.ClientForType[Lamp](api)
	if err != nil {
		log.Fatal(err)
	}

	created := 0
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		room, err := rooms.Namespace(key.Namespace).Get(ctx, key.Name)
		if err != nil {
			return controller.Result{}, err
		}
		lamps := lamps.Namespace(key.Namespace)
		_, outcome, err := controller.CreateOrUpdate(ctx, lamps, room.Name, func(lamp *Lamp) error {
			return controller.SetControllerReference(room, lamp)
		})
		if err != nil || outcome != controller.Created {
			return controller.Result{}, err
		}
		fmt.Println("a lamp for", key)
		if created++; created == 2 {
			stop() // the example ends here
			return controller.Result{}, nil
		}
		return controller.Result{}, lamps.Delete(ctx, room.Name, rest.DeleteOptions{}) // somebody takes the lamp away
	}

	_, err = rooms.Namespace("home").Create(ctx, &Room{ObjectMeta: apimeta.ObjectMeta{Name: "kitchen"}})
	if err != nil {
		log.Fatal(err)
	}
	roomInformer := controller.NewInformer(rooms, controller.InformerOptions[Room]{})
	lampInformer := controller.NewInformer(lamps, controller.InformerOptions[Lamp]{})
	c := controller.New(reconcile, controller.Options{}, controller.For(roomInformer),
		controller.Owned(lampInformer, roomInformer))
	if err := c.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a lamp for home/kitchen
	// a lamp for home/kitchen
}

// Lamps have labels that name the Rooms that they light. A change of a Lamp reconciles these Rooms.
func ExampleMapped() {
	api := roomAPI()
	defer api.Close()
	ctx, stop := context.WithCancel(context.Background())
	lamps, err := rest.ClientForType[Lamp](api)
	if err != nil {
		log.Fatal(err)
	}

	reconcile := func(_ context.Context, room controller.Key) (controller.Result, error) {
		fmt.Println("reconcile", room)
		stop() // the example ends here
		return controller.Result{}, nil
	}
	informer := controller.NewInformer(lamps, controller.InformerOptions[Lamp]{})
	roomsOf := func(lamp *Lamp) []controller.Key {
		return []controller.Key{{Namespace: lamp.Namespace, Name: lamp.Labels["room"]}}
	}

	lamp := &Lamp{ObjectMeta: apimeta.ObjectMeta{Name: "ceiling", Labels: map[string]string{"room": "kitchen"}}}
	if _, err := lamps.Namespace("home").Create(ctx, lamp); err != nil {
		log.Fatal(err)
	}
	err = controller.New(reconcile, controller.Options{}, controller.Mapped(informer, roomsOf)).Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// Output: reconcile home/kitchen
}
