package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/watch"
)

// following returns a cursor over the changes that a replica shows from now on.
func following(t testing.TB, store *postgres.Store) watch.Cursor[storage.Record] {
	t.Helper()
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, store.Revision())
	require.NoError(t, err)
	t.Cleanup(cursor.Close)
	return cursor
}

// next returns the next changes that a cursor shows.
func next(t testing.TB, cursor watch.Cursor[storage.Record], count int) (all []*watch.Change[storage.Record]) {
	t.Helper()
	for len(all) < count {
		changes, err := cursor.Next(t.Context(), nil)
		require.NoError(t, err)
		all = append(all, changes...)
	}
	require.Len(t, all, count)
	return all
}

// reads counts the statements that read changes, since the last call.
func (r *requests) reads() (count int) {
	for _, statement := range r.take() {
		if strings.Contains(statement, ".state s LEFT JOIN") {
			count++
		}
	}
	return count
}

// Another replica shows small changes without reading them, sealed ones too.
func TestNotificationsCarryChanges(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	aead, err := seal.NewAEAD(seal.Key{ID: "1", Secret: bytes.Repeat([]byte("k"), 32)})
	require.NoError(t, err)
	plain := serving(t, postgres.Options{Pool: pool, Schema: schema})
	sealed := serving(t, postgres.Options{Pool: pool, Schema: schema, Transformer: aead})
	counting, sent := counted(t)
	peer := serving(t, postgres.Options{Pool: counting, Schema: schema, Transformer: aead})
	cursor := following(t, peer)
	_, err = put(t.Context(), plain, "x", "0")
	require.NoError(t, err)
	next(t, cursor, 1)
	sent.take()
	for n := range 10 {
		for _, store := range []*postgres.Store{plain, sealed} {
			want, err := put(t.Context(), store, fmt.Sprint(n), large+fmt.Sprint(n))
			require.NoError(t, err)
			require.Equal(t, want, next(t, cursor, 1)[0].Current)
			_, err = store.Update(t.Context(), note(fmt.Sprint(n)), func(*storage.Record) ([]byte, error) { return nil, nil })
			require.NoError(t, err)
			require.Nil(t, next(t, cursor, 1)[0].Current)
		}
	}
	require.Zero(t, sent.reads())

	want, err := put(t.Context(), plain, "large", strings.Repeat(large, 5))
	require.NoError(t, err)
	require.Equal(t, want, next(t, cursor, 1)[0].Current)
	require.NotZero(t, sent.reads(), "a notification has at most 8 KB")
}

// A replica that receives changes in notifications shows the same as one that reads all of them.
func TestNotifiedChangesAreThoseRead(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	writers := []*postgres.Store{serving(t, postgres.Options{Pool: pool, Schema: schema}),
		serving(t, postgres.Options{Pool: pool, Schema: schema})}
	notified := following(t, serving(t, postgres.Options{Pool: pool, Schema: schema}))
	read := following(t, serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: 10 * time.Millisecond}))
	random := rand.New(rand.NewPCG(1, 1))
	names := []string{"a", "a b", "a\nb", "ü", " ", `"`, "\x01", strings.Repeat("n", 253)}
	for n := range 300 {
		name, writer := names[random.IntN(len(names))], writers[random.IntN(len(writers))]
		size := random.IntN(4000)
		if random.IntN(4) == 0 {
			size = 5600 + random.IntN(600) // around the longest change in a notification
		}
		_, err := writer.Update(t.Context(), note(name), func(r *storage.Record) ([]byte, error) {
			if r != nil && size%5 == 0 {
				return nil, nil
			}
			return noteJSON(name, fmt.Sprint(n, strings.Repeat("é", size/2))), nil
		})
		require.NoError(t, err)
		want, got := next(t, read, 1)[0], next(t, notified, 1)[0]
		require.Equal(t, want.Revision, got.Revision)
		require.Equal(t, want.Key, got.Key)
		require.Equal(t, want.Previous, got.Previous)
		require.Equal(t, want.Current, got.Current)
	}
}

// Whatever other programs notify, a replica shows what was committed and nothing else.
func TestForeignNotifications(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	cursor := following(t, serving(t, postgres.Options{Pool: pool, Schema: schema}))
	id, valid := idOf(t, pool, schema), ""
	require.NotContains(t, store.ID(), id, "the identity is public, and would tell the channel")
	conn, err := pgx.Connect(t.Context(), server(t).URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN "+pgx.Identifier{"decorum_" + id}.Sanitize())
	require.NoError(t, err)
	var first *storage.Record
	var words []string
	// A store that still is the only listener does not notify, and one that begins to listen notifies without a change.
	for n := 0; len(words) < 2; n++ {
		first, err = put(t.Context(), store, "x", fmt.Sprint(n))
		require.NoError(t, err)
		require.Equal(t, first, next(t, cursor, 1)[0].Current)
		execute(t, pool, "SELECT pg_notify($1, 'end')", "decorum_"+id)
		for valid = ""; valid != "end"; {
			notification, err := conn.WaitForNotification(t.Context())
			require.NoError(t, err)
			if valid = notification.Payload; strings.HasPrefix(valid, fmt.Sprint(first.Revision, " ")) {
				words = strings.Split(valid, " ")
			}
		}
	}
	valid = strings.Join(words, " ")
	with := func(place int, word string) string {
		changed := append([]string(nil), words...)
		changed[place] = word
		return strings.Join(changed, " ")
	}
	following := fmt.Sprint(first.Revision + 1)
	ofAnother := strings.Split(with(0, following), " ")
	ofAnother[1] = "1"
	// Two revisions are missing before the false change: the replica may have read the second commit by then.
	for _, payload := range []string{valid, with(0, "0"), with(0, fmt.Sprint(first.Revision+3)), with(0, "-1"), "", " ",
		"layout", following, following + " ", following + " 1", strings.Join(ofAnother, " "),
		strings.Join(append(ofAnother, "x"), " "), strings.Replace(with(0, following), "=", "!", 1),
		following + " 99999999999999999999 x", "99999999999999999999", following + strings.Repeat(" ", 12)} {
		_, err := pool.Exec(t.Context(), "SELECT pg_notify($1, $2)", "decorum_"+id, payload)
		require.NoError(t, err)
	}
	second, err := put(t.Context(), store, "x", "second")
	require.NoError(t, err)
	require.Equal(t, first.Revision+1, second.Revision)
	require.Equal(t, second, next(t, cursor, 1)[0].Current)
}

// A connection that listens and stays in a transaction makes Postgres keep all notifications, and refuse commits when
// 8 GB wait. So notifications carry no changes while many wait, and replicas read them.
func TestUnreadNotifications(t *testing.T) {
	s := start(t, postgrestest.Options{})
	pool := connect(t, s.URL("postgres"))
	store, peer := serving(t, postgres.Options{Pool: pool}), serving(t, postgres.Options{Pool: pool})
	cursor := following(t, peer)
	stuck, err := pgx.Connect(t.Context(), s.URL("postgres"))
	require.NoError(t, err)
	defer stuck.Close(t.Context())
	_, err = stuck.Exec(t.Context(), "LISTEN anything")
	require.NoError(t, err)
	_, err = stuck.Exec(t.Context(), "BEGIN")
	require.NoError(t, err)
	used := func() (share float64) {
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT pg_notification_queue_usage()").Scan(&share))
		return share
	}
	writes := 0
	write := func() {
		t.Helper()
		writes++
		want, err := put(t.Context(), store, "x", fmt.Sprint(writes, large, large))
		require.NoError(t, err)
		require.Equal(t, want, next(t, cursor, 1)[0].Current)
	}
	deadline := time.Now().Add(hangtest.Deadline)
	for used() == 0 { // the commits of the store send nothing until the peer has joined
		write()
		require.True(t, time.Now().Before(deadline), "no commit notifies the peer")
	}
	const carried = 20
	joined := used()
	for range carried {
		write()
	}
	small := used() - joined
	require.Positive(t, small)
	execute(t, pool, "SELECT pg_notify('something', repeat('x', 7900) || n) FROM generate_series(1, 11000) n")
	before := used()
	require.Greater(t, before, 0.01)
	for range carried {
		write()
	}
	assert.Less(t, used()-before, small/2, "the notifications carry no changes")
}

// A single replica sends no notifications. Replicas that join later show all changes, including changes that are
// committed while they join.
func TestReplicasJoin(t *testing.T) {
	pool, sent := counted(t)
	schema := newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	sent.await(1, ".state s LEFT JOIN") // the replica has joined, and follows
	id := idOf(t, pool, schema)
	conn, err := pgx.Connect(t.Context(), server(t).URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN "+pgx.Identifier{"decorum_" + id}.Sanitize())
	require.NoError(t, err)
	_, err = put(t.Context(), store, "x", "alone")
	require.NoError(t, err)
	execute(t, pool, "SELECT pg_notify($1, 'end')", "decorum_"+id)
	notification, err := conn.WaitForNotification(t.Context())
	require.NoError(t, err)
	require.Equal(t, "end", notification.Payload)

	shows := func(from, to *postgres.Store, text string) {
		t.Helper()
		cursor, err := to.Watch(t.Context(), note("x"), to.Revision())
		require.NoError(t, err)
		defer cursor.Close()
		asked := func(statement string) bool { return strings.Contains(statement, "s.layout, pg_is_in_recovery()") }
		for try := 0; ; try++ {
			sent.take()
			want, err := put(t.Context(), from, "x", fmt.Sprint(text, " ", try))
			require.NoError(t, err)
			require.Equal(t, want, next(t, cursor, 1)[0].Current)
			if !slices.ContainsFunc(sent.take(), asked) {
				return
			} // A replica asks every 30 seconds anyway, and so perhaps just now.
			require.Less(t, try, 10, "the replica had to ask")
		}
	}
	polling := serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: time.Hour})
	shows(polling, store, "from a replica that does not listen")

	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			_, err := put(t.Context(), store, "meanwhile", fmt.Sprint(n))
			assert.NoError(t, err)
		}
	})
	defer writing.Wait()
	defer stop()
	for n := range 10 {
		peer := serving(t, postgres.Options{Pool: pool, Schema: schema})
		shows(peer, store, fmt.Sprint("from peer ", n))
		shows(store, peer, fmt.Sprint("to peer ", n))
		require.NoError(t, peer.Close())
	}
}

// A replica whose peers have left stops notifying.
func TestReplicasLeave(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	peer := serving(t, postgres.Options{Pool: pool, Schema: schema})
	cursor := following(t, peer)
	_, err := put(t.Context(), store, "x", "to the peer")
	require.NoError(t, err)
	next(t, cursor, 1)
	require.NoError(t, peer.Close())
	channel := "decorum_" + idOf(t, pool, schema)
	conn, err := pgx.Connect(t.Context(), server(t).URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN "+pgx.Identifier{channel}.Sanitize())
	require.NoError(t, err)
	for n, notified := 0, true; notified; n++ {
		require.Less(t, n, 2000, "the replica still notifies")
		_, err = put(t.Context(), store, "x", fmt.Sprint(n))
		require.NoError(t, err)
		execute(t, pool, "SELECT pg_notify($1, 'end')", channel)
		notification, err := conn.WaitForNotification(t.Context())
		require.NoError(t, err)
		if notified = notification.Payload != "end"; notified {
			notification, err = conn.WaitForNotification(t.Context())
			require.NoError(t, err)
			require.Equal(t, "end", notification.Payload)
		}
	}
}

// idOf returns the identity in a schema, which the channel of its notifications has.
func idOf(t testing.TB, pool *pgxpool.Pool, schema string) (id string) {
	t.Helper()
	require.NoError(t, pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT id FROM "%s".meta`, schema)).Scan(&id))
	return id
}
