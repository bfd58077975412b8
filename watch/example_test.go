package watch_test

import (
	"fmt"

	"github.com/decorum-go/decorum/watch"
)

// A store appends its changes to a log. A reader that disconnects continues from the revision of the last change that
// it saw.
func ExampleLog() {
	type Job struct{ Step string }
	jobs := watch.NewLog(watch.LogOptions[Job]{})
	defer jobs.Close()

	key := watch.Key{Resource: "jobs", Name: "shop"}
	begun, built, done := &Job{"begun"}, &Job{"built"}, &Job{"done"}
	for _, group := range [][]watch.Change[Job]{
		{{Key: key, Revision: 1, Current: begun}},
		{{Key: key, Revision: 2, Previous: begun, Current: built}},
		{{Key: key, Revision: 3, Previous: built, Current: done}},
		{{Key: key, Revision: 4, Previous: done}},
	} {
		if err := jobs.Append(group); err != nil {
			fmt.Println(err)
		}
	}

	cursor, err := jobs.Cursor(watch.Key{Resource: "jobs"}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cursor.Close()
	changes, err := cursor.Poll(nil)
	for _, c := range changes {
		event, job := c.Select(nil)
		fmt.Println(c.Revision, event, job.Step)
	}
	fmt.Println(err)
	// Output:
	// 3 MODIFIED done
	// 4 DELETED done
	// <nil>
}
