// Package lifecycle provides the controllers that delete objects: the garbage collector, which deletes the dependents
// of deleted objects; the namespace controller, which empties deleted namespaces; the expiry controller, which deletes
// objects whose time to live has passed; and the grace period controller, which removes objects whose grace period has
// passed. A plug-in runs them:
//
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{lifecycle.New(lifecycle.Options{})}}, resources...)
//	err = api.Start(ctx)
//
// If several replicas serve the API, the leader runs them (see package election):
//
//	go election.Run(ctx, election.Options{Client: leases, Name: "platform"}, func(ctx context.Context) error {
//		return lifecycle.Run(ctx, api, lifecycle.Options{})
//	})
//
// Run runs all of them; a host may also run some. Each controller follows what the API serves (see
// [rest.API.AddResources]): it reads a resource that the API takes, goes on with the others meanwhile, and forgets a
// resource that the API gives up.
//
// Without these controllers, the API stores owner references, propagation policies and the times of writes, but does
// not act on them: a foreground deletion never completes, a namespace of [rest.NamespacesOf] is never removed, and no
// object expires.
//
// The garbage collector and the namespace controller follow the changes of all resources in one sequence, so they
// decide on the state of the whole API at one revision. Before a controller decides, it reads the most recent state,
// also on a replica that lags behind, and each write is conditional on the state that it has read. So two replicas may
// run the controllers at the same time, for example after a leader was suspended: the second one finds the work done.
//
// Their writes go through the same pipeline as all others, including admission (see [admission.Hook]). If the context
// has no user, the user is that of the corresponding Kubernetes controller.
package lifecycle
