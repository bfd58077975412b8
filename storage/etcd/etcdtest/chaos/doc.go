// Package chaos tests replicas over a cluster of etcd whose members and networks fail. It contains only tests.
//
// TestFaults causes one fault after the other, and checks what clients of the API see. TestChaos runs clients against
// three replicas, which are processes, while a random replica or member is killed, paused or cut off. Afterwards it
// reads the history of etcd, and compares it with everything that the clients saw: each acknowledged write is in it,
// each object that a client read is from it, each watch showed every change once and in order, and porcupine finds an
// order that explains all operations.
//
// TestDefinitionsAreDeletedWhileAReplicaSleeps suspends a replica that creates objects of a definition, while another
// one deletes the definition.
//
// TestFaultsOfEmbeddedMembers and TestChaosOfEmbeddedMembers do the same with replicas that run the members of etcd
// themselves, through package embedded. Each fault then hits a replica and its member at once, and processes can be cut
// off from their peers.
//
// By default, TestChaos causes 8 faults; DECORUM_TORTURE sets another number, such as "200". DECORUM_TORTURE_SEED sets
// the seed of the random choices. Because the seed does not control the scheduler, the same seed only makes it likely
// that a failure occurs again.
package chaos
