package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// maxReplay bounds how many changes a replica reads when it opens, to serve the history before.
const maxReplay = 20_000

// checkEvery is how often a replica without readers asks Postgres for the last revision, so that /readyz notices a lost
// connection.
const checkEvery = 30 * time.Second

var (
	_ engine.Authority = (*authority)(nil)
	_ engine.Sized     = (*authority)(nil)
)

// authority implements [engine.Authority].
type authority struct {
	*engine.Forms

	opts    Options
	id      string // set by layOut, as is strict
	strict  bool   // transactions of the pool are stricter than read committed by default
	commits commits
	feed    feed
	running sync.WaitGroup // the goroutines of commits and trimming
	// listener is a random number of the connection that listens, or 0.
	listener atomic.Int64

	mu      sync.Mutex
	refuses error          // why Postgres has refused the last commit, although it answers
	seen    watch.Revision // the highest revision that this replica has received

	trimming  bool
	untrimmed time.Time // when the last attempt to trim has failed
}

func newAuthority(opts Options) *authority {
	a := &authority{opts: opts, commits: commits{expected: map[int64]chan watch.Revision{}}}
	a.Forms = engine.NewForms(a.readForms, a.addForm)
	return a
}

// sql returns a statement with the quoted schema in the place of {schema}. No statement contains any other text that is
// not constant.
func (a *authority) sql(statement string) string {
	return strings.ReplaceAll(statement, "{schema}", a.opts.quoted())
}

// ask runs a statement that returns one row, and scans it. Its errors are for clients.
func (a *authority) ask(ctx context.Context, statement string, args []any, into ...any) error {
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	if err := a.query(bounded, a.opts.Pool, statement, args, into...); err != nil {
		return a.unavailable(ctx, err)
	}
	return nil
}

// session is a pool or a connection of it.
type session interface {
	querier
	BeginTx(ctx context.Context, opts pgx.TxOptions) (pgx.Tx, error)
}

// readCommitted is the isolation level of the store. A statement that has waited for a lock must see what others have
// committed meanwhile; with a stricter level it would fail.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// query runs a statement that returns one row, and scans it.
func (a *authority) query(ctx context.Context, s session, statement string, args []any, into ...any) error {
	if !a.strict {
		return s.QueryRow(ctx, a.sql(statement), args...).Scan(into...)
	}
	return pgx.BeginTxFunc(ctx, s, readCommitted, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, a.sql(statement), args...).Scan(into...)
	})
}

// Size implements [engine.Sized]. It is the size of the tables of the schema, with their indexes.
func (a *authority) Size(ctx context.Context) (engine.Size, error) {
	size := engine.Size{ID: a.identity()}
	err := a.ask(ctx, `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r'
		AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = (SELECT tableoid FROM {schema}.state LIMIT 1))`, nil, &size.FileBytes)
	return size, err
}

// recognized is true on the server, and in the copy of the store, to which the current epoch belongs. It is false also
// after a restart of the server, until recognize has looked closer. If the server is read-only, recognize cannot note
// the restart, so the statement looks closer itself.
const recognized = `CASE WHEN s.started = pg_postmaster_start_time() THEN split_part(s.home, '/', 4) = s.tableoid::text
		WHEN current_setting('transaction_read_only')::boolean AND NOT pg_is_in_recovery() THEN s.home = {schema}.server()
		ELSE false END`

// Begin implements [engine.Authority].
func (a *authority) Begin(ctx context.Context, clock watch.Revision,
	since time.Time) (start watch.Revision, err error) {
	age := a.opts.Engine.MaxLogAge
	if age == 0 {
		age = 5 * time.Minute
	}
	if err := a.prepareState(ctx, clock, age); err != nil {
		return 0, err
	}
	if _, _, err := a.Latest(ctx); err != nil { // begins a new epoch if that is due
		return 0, err
	}
	err = a.ask(ctx, `SELECT greatest(s.floor, s.served,
			coalesce((SELECT max(c.last) FROM {schema}.changes c WHERE NOT c.image AND c.at <= $1), 0),
			coalesce((SELECT c.last FROM {schema}.changes c WHERE NOT c.image ORDER BY c.revision DESC OFFSET $2 LIMIT 1), 0))
		FROM {schema}.state s`, []any{since.UnixMicro(), maxReplay}, &start)
	return start, err
}

// prepareState creates the row of state, or updates its limits of the history. Other replicas see the row when it names
// its server.
func (a *authority) prepareState(ctx context.Context, clock watch.Revision, age time.Duration) error {
	prepared := false
	err := a.ask(ctx, `SELECT EXISTS (SELECT FROM {schema}.state WHERE home <> '' AND keep = make_interval(secs => $1)
		AND keep_bytes = $2)`, []any{age.Seconds(), a.opts.HistoryBytes}, &prepared)
	if err != nil || prepared { // a replica can open while Postgres is read-only
		return err
	}
	statements := []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO {schema}.state (revision, floor, served, slot_after, keep, keep_bytes, home, started, layout)
			VALUES ($1, $1, $1, $1, make_interval(secs => $2), $3, '', '-infinity', (SELECT layout FROM {schema}.meta))
			ON CONFLICT DO NOTHING`,
			[]any{int64(clock), age.Seconds(), a.opts.HistoryBytes}},
		{`UPDATE {schema}.state SET home = {schema}.server(), started = pg_postmaster_start_time() WHERE home = ''`, nil},
		{`UPDATE {schema}.state SET keep = make_interval(secs => $1), keep_bytes = $2
			WHERE keep <> make_interval(secs => $1) OR keep_bytes <> $2`, []any{age.Seconds(), a.opts.HistoryBytes}},
	}
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	err = pgx.BeginTxFunc(bounded, a.opts.Pool, readCommitted, func(tx pgx.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(bounded, a.sql(s.sql), s.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return a.unavailable(ctx, err)
	}
	return nil
}

// Latest implements [engine.Authority].
func (a *authority) Latest(ctx context.Context) (last, known watch.Revision, err error) {
	var layout int
	var standby, same, refuses bool
	err = a.ask(ctx, `SELECT s.revision, s.layout, pg_is_in_recovery(), `+recognized+
		`, current_setting('transaction_read_only')::boolean
		FROM {schema}.state s`, nil, &last, &layout, &standby, &same, &refuses)
	if err != nil {
		return 0, 0, err
	}
	if layout != newest {
		return 0, 0, storage.Unavailable(a.unknownLayout(layout))
	}
	if standby {
		return 0, 0, storage.Unavailable(fmt.Errorf("Postgres is a standby: it may lack the last commits"))
	}
	if a.follows(last); !same || last < a.followed() {
		if last, err = a.recognize(ctx, a.followed()); err != nil {
			return 0, 0, err
		}
	}
	if !refuses {
		a.probe(ctx)
	}
	return last, last, nil
}

// probe finds out whether Postgres accepts writes again, so that a store without writers becomes ready.
func (a *authority) probe(ctx context.Context) {
	a.mu.Lock()
	refuses := a.refuses != nil
	a.mu.Unlock()
	if !refuses {
		return
	}
	written := 0
	if err := a.ask(ctx, "UPDATE {schema}.meta SET layout = layout RETURNING 1", nil, &written); err == nil {
		a.noteRefusal(nil)
	}
}

// follows notes a revision that this replica has seen.
func (a *authority) follows(revision watch.Revision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = max(a.seen, revision)
}

// followed returns the highest revision that this replica has seen.
func (a *authority) followed() watch.Revision {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}

// recognize begins a new epoch, unless the server has the store in which this replica has seen a revision. It returns
// the last revision.
func (a *authority) recognize(ctx context.Context, seen watch.Revision) (last watch.Revision, err error) {
	same := false
	if err := a.ask(ctx, "SELECT {schema}.recognize($1)", []any{int64(seen)}, &same); err != nil {
		return 0, err
	}
	err = a.ask(ctx, "SELECT revision FROM {schema}.state", nil, &last)
	return last, err
}

// CheckEvery implements [engine.Quiet].
func (a *authority) CheckEvery() time.Duration { return checkEvery }

// ResourcesIn implements [engine.Authority]. Every resource that ever had a record has announced a form.
func (a *authority) ResourcesIn(ctx context.Context, namespace string,
	known func(resource string) bool) ([]string, error) {
	var all, unknown []string
	err := a.ask(ctx, `SELECT coalesce(array_agg(f.resource), '{}') FROM (SELECT DISTINCT resource FROM {schema}.forms) f
		WHERE EXISTS (SELECT FROM {schema}.objects o WHERE o.resource = f.resource AND ($1 = '' OR o.namespace = $1))`, []any{namespace}, &all)
	for _, resource := range all {
		if !known(resource) {
			unknown = append(unknown, resource)
		}
	}
	return unknown, err
}

// Compact implements [engine.Authority]. The changes stay until their partition is truncated, for replicas that have
// not received them.
func (a *authority) Compact(ctx context.Context, through watch.Revision) error {
	compacted := 0
	statement := "UPDATE {schema}.state SET served = greatest(served, least(revision, $1)) RETURNING 1"
	return a.ask(ctx, statement, []any{int64(through)}, &compacted)
}

// Close implements [engine.Authority]. The pool belongs to the host.
func (a *authority) Close() error {
	a.running.Wait()
	return nil
}

// noteRefusal remembers why Postgres refuses writes, or that it accepts them.
func (a *authority) noteRefusal(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuses = err
}

// Pages of Load have this many objects, so that a page of large objects still fits in memory.
const pageSize = 1000

// Load implements [engine.Authority]. It reads the current objects, and undoes the changes since the revision.
func (a *authority) Load(ctx context.Context, resource string, at watch.Revision,
	yield func(engine.Stored) error) error {
	if err := a.Forms.Refresh(ctx, resource); err != nil {
		return err
	}
	l := loading{authority: a, resource: resource, at: at}
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	// The connection is back in the pool before complete takes one, or many stores would wait for each other.
	err := pgx.BeginTxFunc(ctx, a.opts.Pool, snapshot, func(tx pgx.Tx) error { return l.load(ctx, tx, yield) })
	switch {
	case l.refused != nil:
		return l.refused
	case err != nil:
		return a.unavailable(ctx, err)
	}
	return a.complete(ctx, at)
}

// complete returns 410 Expired if the changes after a revision may have been dropped.
func (a *authority) complete(ctx context.Context, after watch.Revision) error {
	var floor watch.Revision
	if err := a.ask(ctx, "SELECT floor FROM {schema}.state", nil, &floor); err != nil {
		return err
	}
	if floor > after {
		return expired()
	}
	return nil
}
