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
//   - A candidate takes the lease only if it has seen no change of the lease for LeaseDuration. It measures this time
//     from the moment at which it first read the current state.
//   - The leader stops RenewDeadline after it sent its last successful renewal, which is earlier. Its work must end
//     within the remaining time, LeaseDuration minus RenewDeadline.
//
// There is one exception: a leader whose process is suspended notices only when it resumes that it has lost the lease.
//
// With [RunShards], all replicas work. Each shard of the objects has its own lease, and each replica holds the leases
// of some shards. Writes within [Shard.Transact] fail if another replica has taken the shard, even if the process was
// suspended meanwhile.
//
// Package leaderelection of client-go uses the same protocol, so its candidates can compete with candidates of this
// package for one lease.
package election
