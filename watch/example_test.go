package watch_test

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/watch"
)

// A program that keeps no objects in a store publishes what happens to its own. Here a deployment tool tells any number of pages and
// command lines how far each of its jobs is. A reader that disconnects goes on from the revision of its last event.
func ExampleBroadcaster_resume() {
	type Job struct{ Name, Step string }
	jobs := watch.NewBroadcaster(watch.LogOptions[Job]{})
	defer jobs.Close()

	move := func(from, to *Job) watch.Revision {
		revision, err := jobs.Publish(watch.Scope{Resource: "jobs", Name: "shop"}, from, to)
		if err != nil {
			panic(err)
		}
		return revision
	}
	begun, built, done := &Job{"shop", "begun"}, &Job{"shop", "built"}, &Job{"shop", "done"}
	move(nil, begun)
	seen := move(begun, built) // the last event that a page saw before it was reloaded
	move(built, done)
	move(done, nil)

	for event, err := range jobs.Watch(context.Background(), watch.Scope{Resource: "jobs"}, seen, nil) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(event.Type, event.Object.Name, event.Object.Step)
		if event.Type == watch.Deleted {
			break
		}
	}
	// Output:
	// MODIFIED shop done
	// DELETED shop done
}
