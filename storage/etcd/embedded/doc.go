// Package embedded is package storage/etcd for a host that operates no etcd: each process of the host runs a member of
// etcd, and opens the store on it. Three processes on three machines need one program and one flag, which has the same
// value on each of them:
//
//	store, err := embedded.Open(ctx, embedded.Options{
//		Dir:       "/var/lib/platform",
//		Peers:     *peers, // 10.0.0.1:2380,10.0.0.2:2380,10.0.0.3:2380
//		Authority: "/etc/platform/authority.pem",
//	})
//
// The store calls its member without a socket. Members listen on two addresses each: their own one of Peers, for
// the other members, and one for the operations of [Cluster] and for etcdctl. Both require a certificate of the
// authority, unless all addresses are those of the loopback interface.
//
// # How a cluster begins
//
// A process whose directory is empty asks all peers before it starts a member. If one of them belongs to a
// cluster, the process joins it: as a learner, which has no vote, until it has the data. If its address has a member
// already, the disk of that member was lost, so the new member replaces it. If all peers answer that they wait with
// empty directories, the process with the first address founds a cluster, and the others join it. A process
// with an empty directory never founds a cluster while it cannot reach a peer, because the data could be there. With
// one peer, or none, a process founds a cluster of one at once. It grows when other processes name its address.
//
// docs/embedded.md has a section for each thing that an operator does, and for each fault.
package embedded
