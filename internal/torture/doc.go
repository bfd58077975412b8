// Package torture tests that package storage/bolt keeps what it promises when processes, machines and disks fail. It contains only tests.
//
// TestCrash kills a process under load, and compares what the file holds with what the process had reported. TestPowerLoss records the system
// calls of such a process, and builds the files that a power failure can leave in the orders of writes that the syncs allow, with torn pages.
//
// go test kills 20 times; DECORUM_TORTURE sets another number ("1000"). DECORUM_TORTURE_SEED sets the seed of the random choices. It does
// not control the scheduler, so the same seed makes a failure likely again, but not certain.
package torture
