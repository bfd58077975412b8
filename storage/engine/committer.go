package engine

import (
	"context"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// committer makes the writes of an [Engine] durable, and shows them to readers. There are three: [memory], [durable]
// and [replica]. Each of them embeds the [objects] of its engine. A method takes and releases the lock on its own,
// unless its comment says that the caller holds it.
type committer interface {
	// commit makes prepared writes durable and then visible together. It does nothing and returns done == false if the
	// record of any key has changed since the update function saw it, if its resource was registered again, or if an
	// upgrade has paused writes. It returns the first revision of the group, or any revision if no write changes
	// anything.
	commit(
		ctx context.Context, writes []write, claim storage.Claim, now time.Time,
	) (first watch.Revision, done bool, err error)
	// refused returns the error of an update that ends without a commit, after the records that its function saw are
	// durable. Otherwise the error could tell a client about a write that a crash then loses. again means that these
	// records are not the latest, so the function must run again.
	refused(ctx context.Context, writes []write, err error) (again bool, _ error)
	// takeTurn makes an update that has failed often enough wait for others that compete for the same object. An update
	// that has just begun waits if others do. The caller ends the turn.
	takeTurn(ctx context.Context, t *turn, failed int)
	// comparesTables reports whether commit can tell that a whole table has not changed.
	comparesTables() bool
	// drain waits for the commits to a table that have begun.
	drain(ctx context.Context, t *table) error

	// confirm returns when the engine shows every write that was acknowledged before the call.
	confirm(ctx context.Context) error
	// reach tries to advance the engine to a revision that another engine has shown.
	reach(ctx context.Context, revision watch.Revision)
	// resourcesIn returns the names of the resources that have records in a namespace. It may leave out those that are in
	// memory.
	resourcesIn(ctx context.Context, namespace string, inMemory func(resource string) bool) ([]string, error)

	// load adds the table of a resource, with the records and the history that are stored.
	load(ctx context.Context, form *storage.Resource) error
	// stored yields the stored records of a resource at a revision that the engine shows. A record whose form is newer
	// than the given one is marked.
	stored(ctx context.Context, form *storage.Resource, at watch.Revision, yield func(Stored) error) error
	// announce makes form the current form of its resource, before the first write in this form.
	announce(ctx context.Context, form *storage.Resource) error
	// origin returns what takes the texts out of the records of a form, or nil if they hold their texts.
	origin(form *storage.Resource) unloader
	// rewrite stores records that were upgraded to a form.
	rewrite(ctx context.Context, form *storage.Resource, records []*storage.Record) error
	// shed frees what the table of an unregistered resource does not need. The caller holds the lock.
	shed(t *table)
	// wake prepares the table of an unregistered resource for being served again. The caller holds the lock.
	wake(t *table)

	// compact drops the stored history up to and including a revision.
	compact(ctx context.Context, through watch.Revision) error
	// report adds the figures that only the committer has. The caller holds the lock.
	report(s *storage.StoreStats)
	// ready returns why the engine cannot serve, or nil. The caller holds the lock.
	ready() error
	// close waits for the commits in progress, and then ends the watches and releases everything. The engine calls it
	// once, and begins no commits afterwards.
	close() error
}

// sole has the methods of a committer whose objects no other engine writes.
type sole struct{ *objects }

func (sole) comparesTables() bool                  { return true }
func (sole) confirm(context.Context) error         { return nil }
func (sole) reach(context.Context, watch.Revision) {}
func (sole) wake(*table)                           {}
func (sole) origin(*storage.Resource) unloader     { return nil }

// turnAfter is how many attempts of an update fail before it waits for a turn. Most updates succeed earlier and wait for
// no one. This was measured with the soak under the race detector, where a commit waits for about ten others: without
// turns, one update in 27,000 failed ten times.
const turnAfter = 4

func (s sole) takeTurn(ctx context.Context, t *turn, failed int) {
	if failed >= turnAfter || s.turns.wanted(t.key) {
		t.take(ctx, &s.turns, turnWait)
	}
}

// shed removes an empty table, and with it the scope of the resource. A table with records stays, but without the
// functions of its form, which may hold the whole declaration of the host.
func (s sole) shed(t *table) {
	if !s.removeEmpty(t) {
		t.setForm(&storage.Resource{Name: t.form.Name, Namespaced: t.form.Namespaced, Indexed: t.form.Indexed,
			Fingerprint: t.form.Fingerprint})
	}
}
