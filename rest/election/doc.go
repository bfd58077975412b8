// Package election elects one of several replicas as the leader. The leader holds a Lease of the group
// coordination.k8s.io (see package builtin) and renews it regularly:
//
//	leases, err := rest.ClientForType[builtin.Lease](api)
//	…
//	err = election.Run(ctx, election.Options{Client: leases.Namespace("default"), Name: "size-controller"}, ctrl.Run)
//
// At most one candidate leads at any time, however slow the network, the API or a candidate is. The candidates' clocks
// need not show the same time, but must run at the same rate. Two rules guarantee this:
//
//   - A candidate takes the lease only if it has seen no change of the lease for LeaseDuration. It measures this time from the moment at
//     which it first read the current state.
//   - The leader stops earlier: RenewDeadline after it sent its last successful renewal. Its work must end within the remaining time,
//     LeaseDuration minus RenewDeadline.
//
// There is one exception: a leader whose process is suspended notices only when it resumes that it has lost the lease.
//
// With [RunShards], all replicas work: each shard of the objects has a lease of its own, and the replicas agree on who
// takes which. Writes within [Shard.Transact] fail if another replica has taken the shard, also after a suspension.
//
// Package leaderelection of client-go uses the same protocol, so its candidates can compete with candidates of this
// package for one lease.
package election
