package lifecycle

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/rest"
)

// Run runs the controllers that the API needs: [CollectGarbage]; [EmptyNamespaces], if the API serves namespaces; [Expire], if a resource
// has a time to live; and [EndGracePeriods], if a resource has RemoveWhenDue. It works until ctx ends and then returns nil. It returns an
// error if the API closes first.
//
// If several replicas serve the API, one of them should run the controllers: the leader of package election.
func Run(ctx context.Context, api *rest.API, options Options) error {
	needed := []func(context.Context, *rest.API, Options) error{CollectGarbage}
	var namespaces, expire, due bool
	for _, r := range rest.ObjectsOf(api).Resources() {
		namespaces = namespaces || r.Namespaces
		expire = expire || r.TimeToLive > 0
		due = due || r.RemoveWhenDue
	}
	if namespaces {
		needed = append(needed, EmptyNamespaces)
	}
	if expire {
		needed = append(needed, Expire)
	}
	if due {
		needed = append(needed, EndGracePeriods)
	}
	var all []func(context.Context) error
	for _, run := range needed {
		all = append(all, func(ctx context.Context) error { return run(ctx, api, options) })
	}
	return together(ctx, all)
}

// together runs functions concurrently and waits for all of them. The first error ends the context of the others, and together returns
// it.
func together(ctx context.Context, all []func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	errs := make(chan error, len(all))
	for _, run := range all {
		running.Go(func() {
			if err := run(ctx); err != nil {
				errs <- err
				cancel()
			}
		})
	}
	running.Wait()
	close(errs)
	return <-errs
}
