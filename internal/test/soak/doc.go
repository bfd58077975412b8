// Package soak tests consistency under load: it checks every guarantee on which a client of the API relies against one
// history, which it records beside the store.
//
// In a round, writers, readers, watchers and a compactor use one API with a small log, a kind in two versions,
// namespaces that are created and deleted, and the controllers of package lifecycle. A journal records every commit as
// the store returns it to the writer. So the journal depends neither on the log that feeds watches nor on the trees
// that answer reads. After the writers of a round have stopped, the journal is a model of the store at each revision.
// The checks compare everything that clients saw with it, event by event and list by list:
//
//   - The revisions of the commits are consecutive; each acknowledged write is one of them, with the object that the writer received.
//   - No update is lost: counters hold the sum of all acknowledged increments.
//   - A watch shows each change that its selector makes visible once, in order, with the right type and the right object, through
//     disconnects and resumes; a bookmark follows everything that it covers; after 410, a list replaces the missed events.
//   - A list is one snapshot, including all its pages: exactly the objects of the model at its revision.
//   - Both versions of a kind show the same objects, whichever version a client wrote.
//   - A follower of all resources sees all objects, and then each change once and in order, without waiting for another write.
//   - Objects that are written together have consecutive revisions, and no client sees a part of them.
//   - No object is created in a namespace that is missing or being deleted, and such a namespace is removed once it is empty; an object
//     is collected only after its owners; both kinds of deletion complete after the writers have stopped.
//   - A read that began after a write was acknowledged shows that write.
//
// Other tests each cover one danger: clients that outlive their server, lists of old states of one kind beside those of
// another, watchers that never read, and Close beside blocked streams.
//
// A failure names the invariant, the client and the revision, and shows the history around it. The package contains
// only tests. go test runs a short soak; DECORUM_SOAK sets another duration ("10m"), which the tests share.
// DECORUM_SOAK_SEED sets the seed of the clients' random choices. It does not control the scheduler, so the same seed
// makes a failure likely again, but not certain.
package soak
