// Package postgres is a [storage.Store] whose objects are in Postgres, for a host that has a database already, and that
// may run as several replicas. To move a host from memory to Postgres, change one line:
//
//	store, err := postgres.Open(ctx, postgres.Options{Pool: pool, Schema: "platform"})
//
// Each replica keeps all objects in memory, and answers reads, lists and watches from there. Commits of concurrent
// writers share a round trip, and a write returns once the replica shows it. Each replica listens: a notification
// carries a small change, or says that there are new ones to read. A read of the most recent state asks Postgres for
// the last revision; concurrent reads share the question. Replicas show equal revisions, so clients may continue a list
// or a watch on another replica.
//
// With [InTx], a host writes objects and its own rows in one transaction. docs/storage.md describes how to operate
// replicas, which privileges they need, and what happens on each fault.
//
// # The tables
//
// The schema belongs to the store. It has the last revision and the epoch (state), the objects (objects), the recent
// changes in four partitions (changes), the writes of open transactions (pending), the forms of each kind (forms), and
// the accounts with a quota (accounts).
//
//	SELECT namespace, name, convert_from(body, 'UTF8')::jsonb -> 'spec' FROM platform.objects WHERE resource = 'invoices.example.com'
//
// reads objects, unless a transformer seals them. Do not change the tables by hand.
//
// The row in state orders all commits. A replica that assigns revisions holds the lock of the row until the commit
// ends, so a reader that sees a revision sees every lower one. Revisions have no gaps within an epoch. A new epoch
// begins when the server lacks commits, or may lack them: after the promotion of a standby, a recovery to a point in
// time, or the restore of a dump. Its revisions begin above the clock, and above all revisions that a client can have
// seen. Watches from before then get 410.
//
// The current partition of changes receives each change until it has half of the age, or a quarter of the bytes, of the
// history. Then the next one does, and a replica truncates the one after that.
package postgres
