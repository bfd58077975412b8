// Package election makes one of several replicas the leader. The leader holds a Lease of group coordination.k8s.io (see package builtin),
// which it renews as long as it leads:
//
//	leases := rest.ClientFor[builtin.Lease](api).Namespace("default")
//	err := election.Run(ctx, election.Options{Client: leases, Name: "size-controller"}, ctrl.Run)
//
// At no time do two candidates lead, whatever they and the API are delayed by, if their clocks run at the same rate; what the clocks show
// does not matter. To this end, a candidate counts from the moment at which it first sees a state of the lease, and takes the lease only
// when it has seen no other state for the whole duration of the lease. The leader counts from the moment at which it sent the last
// renewal that succeeded, and gives up earlier, after the renew deadline. What is left between the two is the time that its work has to
// stop. A process that is suspended while it leads learns of its end only when it runs again.
//
// The protocol is that of package leaderelection of client-go, so candidates of both may compete for one lease.
package election
