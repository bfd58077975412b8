package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

var errAborted = errors.New("the host aborts")

// Objects and rows that a transaction writes appear together, or not at all.
func TestInTx(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store, peer := serving(t, postgres.Options{Pool: pool, Schema: schema}),
		serving(t, postgres.Options{Pool: pool, Schema: schema})
	kept, err := put(t.Context(), store, "kept", "1")
	require.NoError(t, err)
	gone, err := put(t.Context(), store, "gone", "1")
	require.NoError(t, err)
	cursor, err := peer.Watch(t.Context(), watch.Key{Resource: notes}, gone.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	write := func(ctx context.Context) {
		created, err := put(ctx, store, "new", "1")
		require.NoError(t, err)
		assert.Zero(t, created.Revision)
		assert.Contains(t, string(storagetest.Text(created)), `"resourceVersion":""`)
		got, err := store.Get(ctx, note("new"), storage.MostRecent)
		require.NoError(t, err)
		assert.Equal(t, created, got, "the transaction sees what it has written")
		page, err := store.List(ctx, storage.Query{Within: note("new"), Revision: storage.MostRecent}, nil)
		require.NoError(t, err)
		assert.Empty(t, page.Records, "lists show what is committed")
		_, err = put(ctx, store, "new", "2")
		require.NoError(t, err)
		_, err = put(ctx, store, "kept", "2")
		require.NoError(t, err)
		_, err = store.Update(ctx, note("gone"), func(*storage.Record) ([]byte, error) { return nil, nil })
		require.NoError(t, err)
		_, err = store.Get(ctx, note("gone"), storage.MostRecent)
		assert.ErrorIs(t, err, storage.ErrNotFound)
		_, err = store.Get(t.Context(), note("new"), storage.MostRecent)
		assert.ErrorIs(t, err, storage.ErrNotFound, "nobody else sees it")
	}

	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		write(postgres.InTx(t.Context(), tx))
		return errAborted
	})
	require.ErrorIs(t, err, errAborted)
	got, err := store.Get(t.Context(), note("kept"), storage.MostRecent)
	require.NoError(t, err)
	require.Equal(t, kept, got, "an abort leaves no trace")
	require.Equal(t, gone.Revision, store.Revision())

	other, err := put(t.Context(), store, "other", "1")
	require.NoError(t, err)
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		write(postgres.InTx(t.Context(), tx))
		meanwhile, err := put(t.Context(), peer, "other", "2") // an open transaction holds no lock that others need
		require.Equal(t, other.Revision+1, meanwhile.Revision)
		return err
	}))
	var names []string
	for len(names) < 5 {
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		for _, c := range changes {
			names = append(names, c.Key.Name)
			assert.Equal(t, gone.Revision+watch.Revision(len(names)), c.Revision, "revisions are in the order of the commits")
		}
	}
	assert.Equal(t, []string{"other", "other", "new", "kept", "gone"}, names)
	got, err = peer.Get(t.Context(), note("new"), storage.MostRecent)
	require.NoError(t, err)
	assert.Contains(t, string(storagetest.Text(got)), `"text":"2"`)
}

// A conflict aborts the transaction of the host, which must repeat all of it.
func TestInTxConflicts(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema()})
	overtaken := func(name string, options pgx.TxOptions, other string) error {
		return pgx.BeginTxFunc(t.Context(), pool, options, func(tx pgx.Tx) error {
			ctx := postgres.InTx(t.Context(), tx)
			if _, err := put(ctx, store, name, "in the transaction"); err != nil {
				return err
			}
			_, err := put(t.Context(), store, other, fmt.Sprint("meanwhile ", store.Revision()))
			return err
		})
	}
	for name, c := range map[string]struct {
		options   pgx.TxOptions
		other     string
		conflicts bool
	}{
		"the same object":                  {pgx.TxOptions{}, "x", true},
		"another object":                   {pgx.TxOptions{}, "y", false},
		"another object, repeatable reads": {pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, "y", true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{"exists", ""} { // the object exists, and then does not
				_, err := store.Update(t.Context(), note("x"), func(r *storage.Record) ([]byte, error) {
					if text == "" {
						return nil, nil
					}
					return noteJSON("x", text), nil
				})
				require.NoError(t, err)
				err = overtaken("x", c.options, c.other)
				assert.Equal(t, c.conflicts, postgres.IsConflict(err), "%v", err)
				if !c.conflicts {
					require.NoError(t, err)
				}
				_, err = put(t.Context(), store, "x", "afterwards")
				require.NoError(t, err)
			}
		})
	}
}

// A write in a transaction gets 409 if its resourceVersion is outdated.
func TestInTxOutdated(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	store := open(t, postgres.Options{Pool: pool, Schema: newSchema()})
	defer store.Close()
	api, err := rest.New(rest.Options{Store: store},
		rest.Resource[Invoice]{Group: "example.com", Version: "v1", Plural: "invoices"})
	require.NoError(t, err)
	defer api.Close()
	invoices, err := rest.ClientForType[Invoice](api)
	require.NoError(t, err)
	invoices = invoices.Namespace("default")
	created, err := invoices.Create(t.Context(), &Invoice{ObjectMeta: apimeta.ObjectMeta{Name: "x"}})
	require.NoError(t, err)
	changed := *created
	changed.Spec.Cents = 1
	_, err = invoices.Update(t.Context(), &changed)
	require.NoError(t, err)
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		outdated := *created
		outdated.Spec.Cents = 2
		_, err := invoices.Update(postgres.InTx(t.Context(), tx), &outdated)
		return err
	})
	require.Equal(t, 409, status.CodeOf(err), "%v", err)
	got, err := invoices.Get(t.Context(), "x")
	require.NoError(t, err)
	require.EqualValues(t, 1, got.Spec.Cents)
}

// A transaction may only compare an object, as a create does with its namespace.
func TestInTxPreconditions(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema()})
	_, err := put(t.Context(), store, "condition", "1")
	require.NoError(t, err)
	create := func(ctx context.Context, name string) error {
		_, err := store.UpdateAll(ctx, []storage.Key{note(name), note("condition")},
			func(current []*storage.Record) ([][]byte, error) {
				return [][]byte{noteJSON(name, "1"), storagetest.Text(current[1])}, nil
			})
		return err
	}
	for name, change := range map[string]bool{"unchanged": false, "changed": true} {
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if err := create(postgres.InTx(t.Context(), tx), name); err != nil || !change {
				return err
			}
			_, err := put(t.Context(), store, "condition", "2")
			return err
		})
		assert.Equal(t, change, postgres.IsConflict(err), "%s: %v", name, err)
		_, err = store.Get(t.Context(), note(name), storage.MostRecent)
		assert.Equal(t, change, errors.Is(err, storage.ErrNotFound), "%s: %v", name, err)
	}
}

// While transactions of the host stay open, writers of the store do not wait for them.
func TestInTxHoldsNoLock(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	store := serving(t, postgres.Options{Pool: pool, Schema: newSchema(), Timeout: 30 * time.Second})
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	_, err = put(postgres.InTx(t.Context(), tx), store, "x", "1")
	require.NoError(t, err)
	for n := range 20 {
		_, err = put(t.Context(), store, "y", string(rune('a'+n)))
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit(t.Context()))
	got, err := store.Get(t.Context(), note("x"), storage.MostRecent)
	require.NoError(t, err)
	assert.Equal(t, store.Revision(), got.Revision, "the transaction committed last")
}

// Whatever isolation level a pool has by default, replicas commit beside each other, follow each other, and write in
// transactions of the host.
func TestIsolationOfThePool(t *testing.T) {
	s := server(t)
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			config, err := pgxpool.ParseConfig(s.URL("postgres"))
			require.NoError(t, err)
			config.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
			config.MaxConns = 16
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			require.NoError(t, err)
			t.Cleanup(pool.Close)
			for _, poll := range []time.Duration{0, 10 * time.Millisecond} {
				writeTogether(t, postgres.Options{Pool: pool, Schema: newSchema(), Poll: poll, HistoryBytes: 40_000})
			}
		})
	}
}

// untilUncontended repeats a write while it loses every attempt to others, as it may on a busy machine.
func untilUncontended(write func() error) error {
	for {
		if err := write(); !errors.Is(err, storage.ErrContended) {
			return err
		}
	}
}

// writeTogether writes through two replicas at once, also groups and in transactions of the host.
func writeTogether(t *testing.T, opts postgres.Options) {
	const writers, rounds = 4, 25
	replicas := []*postgres.Store{serving(t, opts), serving(t, opts)}
	start := replicas[0].Revision()
	var writing sync.WaitGroup
	for i := range 2 * writers {
		writing.Go(func() {
			store := replicas[i%2]
			for n := range rounds {
				assert.NoError(t, untilUncontended(func() error {
					_, err := put(t.Context(), store, fmt.Sprint(i), fmt.Sprint(n, large))
					return err
				}))
				assert.NoError(t, untilUncontended(func() error {
					_, err := store.UpdateAll(t.Context(), []storage.Key{note("shared"), note(fmt.Sprint("pair-", i))},
						func([]*storage.Record) ([][]byte, error) {
							text := fmt.Sprint(i, n)
							return [][]byte{noteJSON("shared", text), noteJSON(fmt.Sprint("pair-", i), text)}, nil
						})
					return err
				}))
				_, err := store.Get(t.Context(), note("shared"), storage.MostRecent)
				assert.NoError(t, err)
			}
		})
	}
	writing.Wait()
	committed := 2 * writers * rounds * 3
	eventually(t, func() error { // a replica that truncates the history meanwhile causes a conflict
		return pgx.BeginFunc(t.Context(), opts.Pool, func(tx pgx.Tx) error {
			_, err := put(postgres.InTx(t.Context(), tx), replicas[0], "host", "1")
			return err
		})
	})
	for _, store := range replicas {
		require.NotNil(t, latest(t, store, "host"))
		require.Equal(t, start+watch.Revision(committed)+1, store.Revision())
	}
	rows := committed
	eventually(t, func() error { // truncating takes its time
		_, err := put(t.Context(), replicas[0], "x", fmt.Sprint(rand.Int(), large))
		require.NoError(t, err)
		count := fmt.Sprintf(`SELECT count(*) FROM "%s".changes`, opts.Schema)
		require.NoError(t, opts.Pool.QueryRow(t.Context(), count).Scan(&rows))
		if rows > 100 {
			return fmt.Errorf("the history has %d changes", rows)
		}
		return nil
	})
}
