package lifecycle

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/rest"
)

// Run runs the controllers that the API needs: [CollectGarbage]; [EmptyNamespaces], if the API serves namespaces; [Expire], if a resource
// has a time to live; and [EndGracePeriods], if a resource has RemoveWhenDue. When the API takes, replaces or gives up a resource, Run
// starts them again, and they read all objects again. It works until ctx ends and then returns nil. It returns an error if the API closes
// first.
//
// If several replicas serve the API, one of them should run the controllers: the leader of package election.
func Run(ctx context.Context, api *rest.API, options Options) error {
	for {
		changed := rest.ObjectsOf(api).Changed()
		err := runUntil(ctx, changed, api, options)
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-changed:
		default:
			return err
		}
	}
}

// runUntil runs the controllers that the API needs now, until the channel is closed.
func runUntil(ctx context.Context, changed <-chan struct{}, api *rest.API, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := []func(context.Context) error{func(ctx context.Context) error {
		select {
		case <-changed:
			cancel()
		case <-ctx.Done():
		}
		return nil
	}}
	for _, run := range needed(api) {
		all = append(all, func(ctx context.Context) error { return run(ctx, api, options) })
	}
	return together(ctx, all)
}

// needed returns the controllers that the API needs.
func needed(api *rest.API) []func(context.Context, *rest.API, Options) error {
	all := []func(context.Context, *rest.API, Options) error{CollectGarbage}
	var namespaces, expire, due bool
	for _, r := range rest.ObjectsOf(api).Resources() {
		namespaces = namespaces || r.Namespaces
		expire = expire || r.TimeToLive > 0
		due = due || r.RemoveWhenDue
	}
	if namespaces {
		all = append(all, EmptyNamespaces)
	}
	if expire {
		all = append(all, Expire)
	}
	if due {
		all = append(all, EndGracePeriods)
	}
	return all
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
