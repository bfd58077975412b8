// Package torture tests that package storage/bolt keeps its guarantees when processes, machines and disks fail. It
// contains only tests.
//
// TestCrash kills a process under load, and compares the content of the file with the reports of the process.
// TestDiskFull and TestBrokenDisk make writes and syncs fail. TestPowerLoss records the system calls of a process, and
// builds files that a power failure could leave: with any order of writes that the syncs permit, and with torn pages.
//
// By default, TestCrash kills 20 processes; DECORUM_TORTURE sets another number, such as "1000". The tests that record
// system calls need strace, and run only if DECORUM_TORTURE is set. DECORUM_TORTURE_SEED sets the seed of the random
// choices. Because the seed does not control the scheduler, the same seed only makes it likely that a failure occurs
// again.
package torture
