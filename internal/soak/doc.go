// Package soak proves consistency under load: every promise that a client of the API builds on, checked against one
// history that is kept beside the store.
//
// A round lets writers, readers, watchers and a compactor loose on one API whose log is small, with a kind in two versions, namespaces
// that come and go, and the controllers of package lifecycle. Every commit is noted in
// a journal as the store returns it to the writer, so that the journal owes nothing to the log that feeds watches, nor to
// the trees that answer reads. When the writers of a round have stopped, the journal is a model of the store at each
// revision, and what everybody saw is compared with it, event by event and list by list:
//
//   - the revisions of the commits have no gap and none is there twice; each acknowledged write is one of them, as answered;
//   - no update is lost: counters hold the sum of all acknowledged increments;
//   - a watch shows each change that its selector makes visible once, in order, as the right type with the right object,
//     through disconnects and resumes; a bookmark comes after everything that it covers; after 410 a list takes its place;
//   - a list is one snapshot, all its pages too: exactly the objects of the model at its revision;
//   - both versions of a kind show the same objects, whichever version wrote them;
//   - who follows the objects of all resources is shown all of them, and then each change once, in order and without another write;
//   - several objects that are written together have revisions with nothing of others in between, and nobody sees a part of them;
//   - nothing is made in a namespace that is missing or ending, which goes when it is empty; an object goes after its owners; and both come to an
//     end when the writers have stopped;
//   - a read that began after a write was acknowledged shows it.
//
// Beside this history there are chapters about one danger each: clients that outlive their server, lists of old states of one kind beside
// those of another, watchers that never read, and Close beside streams that are stuck.
//
// A violation names the invariant, the client and the revision, and shows the history around it. The package has tests
// only: go test runs a short soak, and DECORUM_SOAK says another duration ("10m"), of which each chapter has its share. The seed in DECORUM_SOAK_SEED steers
// what clients do, not how the scheduler mixes them, so that it makes a failure likely again, not certain.
package soak
