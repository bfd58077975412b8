package host

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/decorum-go/decorum/rest"
)

// Run starts the plug-ins of the API (see [rest.API.Start]), serves the API, and runs controllers until ctx ends, the
// server ends, or something fails. Then it stops everything in this order:
//
//  1. The API begins to drain: /readyz fails, and the API serves on (see [rest.API.Drain]).
//  2. The controllers end, and the leader gives up its lease, so another replica continues at once.
//  3. The services end; a recorder writes its last events.
//  4. When the DrainTime of the API is over, the API stops its plug-ins, ends its watches and streams, refuses new
//     requests, and finishes those in flight (see [rest.API.Shutdown]).
//  5. The server closes its listener and its connections.
//
// Run returns nil if ctx ends, or the host shuts the server down, and everything stops in time. Otherwise it returns
// all failures, such as the name of a part that has not ended within [Options].StopTimeout. Run ends the API and
// closes the listener in every case, also if it returns an error at once. The host closes its store afterwards.
//
// A function of Services or Controllers that returns nil has done its work, and the rest goes on. An error or a panic
// of one ends Run.
func Run(ctx context.Context, api *rest.API, options Options) error {
	listener, err := listen(api, options)
	if err != nil {
		return errors.Join(err, api.Close())
	}
	controllers, err := options.controllers(api)
	if longest := options.stopTimeout() / 2; err == nil && api.DrainTime() > longest {
		err = fmt.Errorf("host: the DrainTime of the API is %s, but must not be longer than %s, half of StopTimeout",
			api.DrainTime(), longest)
	}
	if err == nil {
		err = api.Start(ctx)
	}
	if err != nil {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
		return errors.Join(err, api.Close())
	}
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	detached := context.WithoutCancel(ctx) // the parts end in the order below, and not all when ctx ends
	server := serve(listener, options.Server, stop)
	if options.Ready != nil {
		options.Ready(address(listener))
	}
	runningServices := start(detached, "the services", options.Services.Run, stop)
	runningControllers := start(detached, "the controllers", controllers, stop)
	<-stopping.Done()

	api.Drain()
	timeout := options.stopTimeout()
	all, cancelAll := context.WithTimeout(detached, timeout)
	defer cancelAll()
	half, cancelHalf := context.WithTimeout(detached, timeout/2)
	defer cancelHalf()
	return errors.Join(runningControllers.stop(half), runningServices.stop(half), api.Shutdown(all), server.stop(all))
}

// address returns the address of a listener, or nil for none.
func address(listener net.Listener) net.Addr {
	if listener == nil {
		return nil
	}
	return listener.Addr()
}
