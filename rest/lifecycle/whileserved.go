package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// traits are what a controller of one resource depends on.
type traits struct {
	name                  string
	timeToLive            time.Duration
	isNamespaces, removes bool
}

func traitsOf(r raw.Resource) traits {
	return traits{r.Name, r.TimeToLive, r.Namespaces, r.RemoveWhenDue}
}

// whileServed runs a function for each resource that the API serves and that is wanted, as long as the API serves it.
// It returns nil when the context ends. It returns an error if the API closes, or the error of a function.
func whileServed(ctx context.Context, objects raw.Objects, wanted func(raw.Resource) bool,
	run func(context.Context, raw.Resource) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	type end struct {
		of  traits
		err error
	}
	ended := make(chan end)
	stops := map[traits]context.CancelFunc{}
	for {
		changed := objects.Changed()
		now := map[traits]bool{}
		for _, r := range objects.Resources() {
			of := traitsOf(r)
			if !wanted(r) {
				continue
			}
			now[of] = true
			if stops[of] == nil {
				each, stop := context.WithCancel(ctx)
				stops[of] = stop
				running.Go(func() {
					err := run(each, r)
					select {
					case ended <- end{of, err}:
					case <-ctx.Done():
					}
				})
			}
		}
		for of, stop := range stops {
			if !now[of] {
				stop()
			}
		}
		select {
		case <-changed:
		case e := <-ended:
			stops[e.of]()
			delete(stops, e.of)
			// ErrResource means that the API has given up the resource.
			if e.err != nil && !errors.Is(e.err, storage.ErrResource) {
				return e.err
			}
		case <-objects.Ending():
			if ctx.Err() != nil {
				return nil
			}
			return status.ServiceUnavailable("the API shuts down")
		case <-ctx.Done():
			return nil
		}
	}
}
