// Package embedded provides the store of package storage/etcd to hosts that do not operate an etcd cluster. Each
// process of the host runs a member of etcd and opens the store on it. Three processes on three machines run the same
// program with the same flag:
//
//	store, err := embedded.Open(ctx, embedded.Options{
//		Dir:       "/var/lib/platform",
//		Peers:     *peers, // 10.0.0.1:2380,10.0.0.2:2380,10.0.0.3:2380
//		Authority: "/etc/platform/authority.pem",
//	})
//
// The store calls its member directly, without a socket. Each member listens on two addresses: its own address in
// Peers, for the other members, and an address for [Cluster] and etcdctl. Both require a certificate that the authority
// has signed, unless all addresses are loopback addresses.
//
// # How a cluster begins
//
// A process with an empty directory asks all peers before it starts a member. If one of them belongs to a cluster, the
// process joins that cluster as a learner, which has no vote until it has the data. If the cluster already has a member
// with the address of the process, that member has lost its disk, and the new member replaces it. If all peers are
// waiting with empty directories, the process with the first address founds a cluster, and the others join it. A
// process with an empty directory never founds a cluster while it cannot reach a peer, because that peer could hold the
// data. A process with one peer or none immediately founds a cluster of one, which grows when other processes name its
// address.
//
// docs/embedded.md has a section for each task of an operator and for each fault.
package embedded
