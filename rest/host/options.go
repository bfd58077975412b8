package host

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// Options configure [Run]. The zero value serves nothing over HTTP, and runs only the controllers of package lifecycle.
type Options struct {
	// Server serves the API, and with it whatever else the host adds to its Handler. Its Handler is the API if it is
	// nil. If its TLSConfig is set, the server speaks HTTPS with the Certificates or the GetCertificate of the
	// TLSConfig, one of which must be set. Run replaces the zero values of its limits, so that slow clients hold no
	// connection for ever:
	//
	//	ReadHeaderTimeout  10 seconds
	//	ReadTimeout        1 minute
	//	WriteTimeout       10 seconds more than the RequestTimeout of the API, so that a write that takes too long is answered with 504
	//	IdleTimeout        2 minutes
	//	MaxHeaderBytes     64 KiB
	//
	// Watches and streams lift the timeouts for themselves. Run returns an error if the WriteTimeout is not longer
	// than the RequestTimeout, because the client of a slow write would get no answer. If Server is nil, Run opens no
	// listener, and a server of the host's own may serve the API.
	Server *http.Server
	// Listener is where Server accepts connections. Run closes it. Default: TCP at the Addr of Server.
	Listener net.Listener
	// Ready, unless nil, is called once, with the address of the listener, when the server accepts connections. The
	// address is nil if Server is nil. Run does not start controllers before Ready has returned.
	Ready func(address net.Addr)

	// Services run in every replica, such as the method Run of an [events.Recorder]. They start before the
	// controllers and stop after them, so a recorder also writes what the controllers record last.
	//
	// [events.Recorder]: https://pkg.go.dev/github.com/decorum-go/decorum/rest/events#Recorder
	Services controller.Group
	// Controllers run in one replica at a time, if Election is set, and otherwise in this process.
	Controllers controller.Group
	// Election, unless nil, elects the replica whose controllers run. If its Client is the zero value, the lease is
	// in the namespace "default" of the API, which must then serve builtin.Leases.
	Election *election.Options
	// Sharded, unless nil, runs in every replica, once for each of the replica's shards (see [election.RunShards]). It
	// starts and stops with Controllers.
	Sharded func(ctx context.Context, shard election.Shard) error
	// Shards configures how the replicas share the work of Sharded. Its Name is required. If its Client is the zero
	// value, the leases are in the namespace "default" of the API, which must then serve builtin.Leases.
	Shards election.ShardOptions
	// Lifecycle configures the controllers of package lifecycle, which complete the deletions of objects. They run
	// with Controllers, so the API needs no plug-in of that package.
	Lifecycle lifecycle.Options
	// NoLifecycle leaves the controllers of package lifecycle out, such as in a process that is not responsible for
	// deletions.
	NoLifecycle bool

	// StopTimeout is the time limit for stopping everything. Controllers and services may use half of it, and so may the
	// DrainTime of the API, which runs at the same time. Default: 25 seconds, because Kubernetes kills a container 30
	// seconds after it has told the container to end.
	StopTimeout time.Duration
}

// defaultStopTimeout is the default of [Options].StopTimeout.
const defaultStopTimeout = 25 * time.Second

func (o Options) stopTimeout() time.Duration { return cmp.Or(o.StopTimeout, defaultStopTimeout) }

// controllers returns the controllers of the host and of package lifecycle, under the election if there is one, and the
// work that replicas share.
func (o Options) controllers(api *rest.API) (run func(ctx context.Context) error, err error) {
	group := o.Controllers
	if !o.NoLifecycle {
		completes := func(ctx context.Context) error { return lifecycle.Run(ctx, api, o.Lifecycle) }
		group = append(controller.Group{completes}, group...)
	}
	if o.Election != nil {
		candidate, all := *o.Election, group
		if candidate.Client, err = leases(api, candidate.Client); err != nil {
			return nil, fmt.Errorf("host: Options.Election: %w", err)
		}
		group = controller.Group{func(ctx context.Context) error { return election.Run(ctx, candidate, all.Run) }}
	}
	if o.Sharded != nil {
		shards := o.Shards
		if shards.Client, err = leases(api, shards.Client); err != nil {
			return nil, fmt.Errorf("host: Options.Shards: %w", err)
		}
		shared := func(ctx context.Context) error { return election.RunShards(ctx, shards, o.Sharded) }
		group = controller.Group{group.Run, shared}
	}
	return group.Run, nil
}

// leases returns the client of an election. By default, it is the client of the API's own leases.
func leases(api *rest.API, given rest.Client[builtin.Lease]) (rest.Client[builtin.Lease], error) {
	if given != (rest.Client[builtin.Lease]{}) {
		return given, nil
	}
	own, err := rest.ClientForType[builtin.Lease](api)
	if err != nil {
		return own, err
	}
	return own.Namespace("default"), nil
}
