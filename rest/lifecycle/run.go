package lifecycle

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/rest"
)

// Run runs all controllers: [CollectGarbage], [EmptyNamespaces], [Expire] and [EndGracePeriods]. It works until ctx
// ends and then returns nil. It returns an error if the API closes first.
//
// If several replicas serve the API, one of them should run the controllers: the leader of package election.
func Run(ctx context.Context, api *rest.API, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := []func(context.Context, *rest.API, Options) error{CollectGarbage, EmptyNamespaces, Expire, EndGracePeriods}
	var running sync.WaitGroup
	errs := make(chan error, len(all))
	for _, run := range all {
		running.Go(func() {
			if err := run(ctx, api, options); err != nil {
				errs <- err
				cancel()
			}
		})
	}
	running.Wait()
	close(errs)
	return <-errs
}
