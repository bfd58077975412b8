package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/storage"
)

// headStart is how long [EndGracePeriods] leaves an object to the replica that received its DELETE.
const headStart = time.Second

// EndGracePeriods removes the objects whose grace period has passed, if their resource has RemoveWhenDue (see
// [rest.Resource]). The replica that receives a DELETE times the grace period itself, so a single process needs no
// EndGracePeriods. If that replica ends, EndGracePeriods removes the object on another one, a second after the end of
// the grace period.
//
// A removal is conditional on the uid, and on a deletionTimestamp that has passed. Clients can only set an earlier
// deletionTimestamp, so it does no harm if several replicas remove an object: the first one succeeds.
//
// EndGracePeriods works until ctx ends and then returns nil. It returns an error if the API closes first. As long as no
// resource has RemoveWhenDue, it waits. It compares the deletionTimestamp with the API's clock.
func EndGracePeriods(ctx context.Context, api *rest.API, options Options) error {
	objects := api.Objects().FieldManager("grace-period-controller")
	g := &gracer{objects: objects}
	return whileServed(as(ctx, "grace-period-controller"), objects, func(r raw.Resource) bool { return r.RemoveWhenDue },
		func(ctx context.Context, r raw.Resource) error {
			f := follower{name: "grace period controller of " + r.Name, objects: objects, options: options.withDefaults(),
				resources: []string{r.Name}, reset: func() {}, apply: g.apply, work: g.end}
			return f.run(ctx)
		})
}

type gracer struct{ objects raw.Objects }

// apply returns the objects that are being deleted.
func (g *gracer) apply(_ context.Context, changes raw.Changes) (look []storage.Key) {
	for _, c := range changes.List {
		if c.Current != nil && c.Current.Deleting {
			look = append(look, c.Key)
		}
	}
	return look
}

// end removes an object if its grace period has passed.
func (g *gracer) end(ctx context.Context, key storage.Key, _ func(storage.Key)) error {
	left, err := g.objects.EndGracePeriod(ctx, key, headStart)
	if err == nil && left > 0 {
		return notYet(left)
	}
	return err
}

// notYet makes the follower look at an object again after this time. It is not a failure.
type notYet time.Duration

func (n notYet) Error() string { return fmt.Sprintf("due in %v", time.Duration(n)) }
