package lifecycle

import (
	"context"
	"sync"

	"github.com/decorum-go/decorum/rest"
)

// Controllers is the plug-in that runs all controllers, as [Run] does, from [rest.API.Start] until the API shuts down.
// If several replicas serve the API, one of them should call Run instead: the leader of package election.
type Controllers struct{ options Options }

// New returns Controllers.
func New(options Options) *Controllers { return &Controllers{options.withDefaults()} }

// Plug implements [rest.Plugin].
func (c *Controllers) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	var running sync.WaitGroup
	return rest.PluginParts{
		Name: "lifecycle",
		Start: func(ctx context.Context, api *rest.API) error {
			running.Go(func() {
				if err := Run(ctx, api, c.options); err != nil {
					c.options.Logger.Error("lifecycle: the controllers have ended", "error", err)
				}
			})
			return nil
		},
		Stop: func(ctx context.Context) error { return rest.Wait(ctx, &running) },
	}, nil
}
