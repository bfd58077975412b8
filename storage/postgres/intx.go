package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

type txKey struct{}

// InTx returns a context with which an API over a [Store] writes in a transaction of the host, together with rows of
// the host. The transaction must be one of the database of the store.
//
//	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
//		if _, err := tx.Exec(ctx, "INSERT INTO invoices …"); err != nil {
//			return err
//		}
//		_, err := invoices.Create(postgres.InTx(ctx, tx), invoice)
//		return err
//	})
//
// The steps of the write run as usual. The call returns at once; the object that it returns has no resourceVersion.
// Readers, watches and other replicas see the change once the host commits. If the host aborts, nothing remains.
//
//   - Gets and further writes with the context see what the transaction has written. Lists and watches show committed objects.
//   - No lock that other writers need is held before COMMIT begins. COMMIT assigns the revisions, while all other commits of the store wait,
//     so it should not wait for anything itself. Do not use SET CONSTRAINTS ALL IMMEDIATE, which begins this early.
//   - If an object that the transaction has written has changed before COMMIT, COMMIT fails, and [IsConflict] reports true for its error. A
//     write whose resourceVersion is outdated already gets 409 Conflict. In both cases, the host must repeat the whole transaction. Nothing is
//     repeated inside.
//   - Use the isolation level read committed. With a stricter one, COMMIT also fails if the store has made any other commit since the
//     transaction began.
//   - As a pgx.Tx, the context serves one goroutine at a time. Once the transaction has ended, calls with the context fail.
func InTx(ctx context.Context, tx pgx.Tx) context.Context { return context.WithValue(ctx, txKey{}, tx) }

// txOf returns the transaction of a context, or nil.
func txOf(ctx context.Context) pgx.Tx {
	tx, _ := ctx.Value(txKey{}).(pgx.Tx)
	return tx
}

// Get implements [storage.Store].
func (s *Store) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	tx := txOf(ctx)
	if tx == nil {
		return s.Engine.Get(ctx, key, atLeast)
	}
	all, err := s.readIn(ctx, tx, []storage.Key{key})
	if err != nil {
		return nil, err
	}
	if all[0] == nil {
		return nil, storage.ErrNotFound
	}
	return all[0], nil
}

// Update implements [storage.Store].
func (s *Store) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	tx := txOf(ctx)
	if tx == nil {
		return s.Engine.Update(ctx, key, fn)
	}
	all, err := s.updateIn(ctx, tx, []storage.Key{key}, func(current []*storage.Record) ([][]byte, error) {
		next, err := fn(current[0])
		if err == nil && next == nil && current[0] == nil {
			err = storage.ErrNotFound
		}
		return [][]byte{next}, err
	})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// UpdateAll implements [storage.Store].
func (s *Store) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	if tx := txOf(ctx); tx != nil {
		return s.updateIn(ctx, tx, keys, fn)
	}
	return s.Engine.UpdateAll(ctx, keys, fn)
}

// Transact implements [storage.Transactor]. It refuses a context of [InTx], whose transaction the host commits.
func (s *Store) Transact(ctx context.Context, fn func(context.Context) error) ([]watch.Change[storage.Record], error) {
	if txOf(ctx) != nil {
		return nil, status.BadRequest("the context belongs to a transaction of the host, which cannot be a part of another one")
	}
	return s.Engine.Transact(ctx, fn)
}

// readStatement returns the objects as a transaction sees them: what it has written itself, or what is committed.
const readStatement = `SELECT k.ord, CASE WHEN p.op > 0 THEN 0 ELSE coalesce(o.revision, 0) END,
		v.form, v.position, v.written, v.creator, v.key_id, v.body
	FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(resource, namespace, name, ord)
	LEFT JOIN {schema}.objects o ON o.resource = k.resource AND o.namespace = k.namespace AND o.name = k.name
	LEFT JOIN {schema}.pending p ON p.tx = pg_current_xact_id_if_assigned()
		AND p.resource = k.resource AND p.namespace = k.namespace AND p.name = k.name
	CROSS JOIN LATERAL (
		SELECT p.form, p.position, p.written, p.creator, p.key_id, p.body WHERE p.op > 0 AND p.body IS NOT NULL
		UNION ALL
		SELECT o.form, o.position, o.written, o.creator, o.key_id, o.body WHERE coalesce(p.op, 0) = 0 AND o.body IS NOT NULL
	) v`

// readIn returns the records of keys as a transaction sees them, nil for objects that do not exist.
func (s *Store) readIn(ctx context.Context, tx pgx.Tx, keys []storage.Key) ([]*storage.Record, error) {
	all := make([]*storage.Record, len(keys))
	var c columnsOf
	for _, key := range keys {
		c.resource, c.namespace, c.key = append(c.resource, key.Resource), append(c.namespace, key.Namespace),
			append(c.key, key.Name)
	}
	rows, err := tx.Query(ctx, s.authority.sql(readStatement), c.resource, c.namespace, c.key)
	if err != nil {
		return nil, inTx(err)
	}
	stored := make([]engine.Stored, 0, len(keys))
	places := make([]int, 0, len(keys))
	for rows.Next() {
		var place int
		var revision watch.Revision
		var v value
		if err := rows.Scan(append([]any{&place, &revision}, v.fields()...)...); err != nil {
			rows.Close()
			return nil, inTx(err)
		}
		stored = append(stored, s.authority.decode(ctx, keys[place-1], revision, &v))
		places = append(places, place-1)
	}
	if err := rows.Err(); err != nil {
		return nil, inTx(err)
	}
	for i := range stored {
		if all[places[i]], err = s.Receive(stored[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inTx is the error of a statement in a transaction of the host. The cause stays visible to the host, which must abort
// the transaction.
func inTx(err error) error { return fmt.Errorf("postgres: in the transaction of the host: %w", err) }

// updateIn writes objects in a transaction.
func (s *Store) updateIn(ctx context.Context, tx pgx.Tx, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	current, err := s.readIn(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	next, err := fn(current)
	if err != nil {
		return nil, err
	}
	if len(next) != len(keys) {
		return nil, fmt.Errorf("%w: the function returned %d texts for %d keys", storage.ErrJSON, len(next), len(keys))
	}
	p := &proposal{Group: engine.Group{Entries: make([]storage.Entry, len(keys))}}
	records, changes := make([]*storage.Record, len(keys)), false
	for i := range keys {
		e, err := s.Draft(ctx, keys[i], current[i], next[i])
		if err != nil {
			return nil, err
		}
		p.Entries[i], records[i] = e, e.Current
		changes = changes || e.Current != e.Previous
		if e.Current == nil {
			records[i] = e.Previous
		}
	}
	if !changes {
		return records, nil
	}
	if err := s.charge(ctx, tx, p); err != nil {
		return nil, err
	}
	return records, s.write(ctx, tx, p)
}

// charge checks the quotas for everything that the transaction has written, because the engine does not see it yet.
func (s *Store) charge(ctx context.Context, tx pgx.Tx, p *proposal) error {
	if s.authority.opts.Engine.Ledger == nil {
		return nil
	}
	rows, err := tx.Query(ctx, s.authority.sql(`SELECT resource, namespace, name FROM {schema}.pending
		WHERE tx = pg_current_xact_id_if_assigned() AND op > 0`))
	if err != nil {
		return inTx(err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k storage.Key, err error) {
		err = row.Scan(&k.Resource, &k.Namespace, &k.Name)
		return k, err
	})
	if err != nil {
		return inTx(err)
	}
	written := map[storage.Key]int{}
	all := slices.Clone(p.Entries)
	for i, e := range p.Entries {
		written[e.Key] = i
	}
	own, err := s.readIn(ctx, tx, keys)
	if err != nil {
		return err
	}
	for i, key := range keys {
		committed, err := s.Engine.Get(ctx, key, storage.Any)
		if err != nil {
			committed = nil
		}
		if at, again := written[key]; again {
			all[at].Previous = committed
			continue
		}
		all = append(all, storage.Entry{Key: key, Previous: committed, Current: own[i]})
	}
	p.Accounts, p.Seen, err = s.Charge(ctx, all)
	return err
}

// writeStatement notes what the transaction writes. If it writes an object again, the state before the first write
// remains the condition.
const writeStatement = `WITH account AS (
		INSERT INTO {schema}.pending_accounts (name, seen) SELECT * FROM unnest($11::text[], $12::bigint[]) ON CONFLICT (tx, name) DO NOTHING
	)
	INSERT INTO {schema}.pending AS p (layout, op, resource, namespace, name, previous, form, written, creator, key_id, position, body)
	SELECT $14::integer, op, resource, namespace, name, previous, form, written, creator, key_id, position, CASE WHEN op = 1 THEN body END
	FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::integer[], $7::bigint[], $8::text[], $9::text[],
		$10::integer[], $13::bytea[]) AS e(op, resource, namespace, name, previous, form, written, creator, key_id, position, body)
	ON CONFLICT (tx, resource, namespace, name) DO UPDATE SET op = excluded.op, form = excluded.form, written = excluded.written,
		creator = excluded.creator, key_id = excluded.key_id, position = excluded.position, body = excluded.body WHERE excluded.op > 0`

func (s *Store) write(ctx context.Context, tx pgx.Tx, p *proposal) error {
	if err := s.authority.encodeGroup(ctx, p); err != nil {
		return err
	}
	c := gather([]*proposal{p})
	_, err := tx.Exec(ctx, s.authority.sql(writeStatement), c.op, c.resource, c.namespace, c.key, c.previous, c.form,
		c.written, c.creator, c.keyID, c.position, c.account, c.seen, c.body, newest)
	if err != nil {
		return inTx(err)
	}
	return nil
}
