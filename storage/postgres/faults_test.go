package postgres_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// eventually repeats an operation until it succeeds, or the test ends.
func eventually(t testing.TB, operation func() error) {
	t.Helper()
	deadline := time.Now().Add(hangtest.Deadline)
	for err := operation(); err != nil; err = operation() {
		require.True(t, time.Now().Before(deadline), "%v", err)
	}
}

// latest waits until a store confirms the most recent state of a note.
func latest(t testing.TB, store storage.Store, name string) (r *storage.Record) {
	t.Helper()
	eventually(t, func() (err error) {
		r, err = store.Get(t.Context(), note(name), storage.MostRecent)
		if errors.Is(err, storage.ErrNotFound) {
			return nil
		}
		return err
	})
	return r
}

// written repeats a write until a store acknowledges it. A busy machine may need longer than the timeout of the store.
func written(t testing.TB, store storage.Store, name, text string) (r *storage.Record) {
	t.Helper()
	eventually(t, func() (err error) {
		r, err = put(t.Context(), store, name, text)
		return err
	})
	return r
}

func execute(t testing.TB, pool *pgxpool.Pool, statement string, args ...any) {
	t.Helper()
	_, err := pool.Exec(t.Context(), statement, args...)
	require.NoError(t, err, statement)
}

// While a replica has no connection, it serves what it has, and refuses the rest.
func TestConnectionLost(t *testing.T) {
	s := server(t)
	l := newLink(t, s)
	schema := newSchema()
	store := serving(t, postgres.Options{Pool: connect(t, l.url()), Schema: schema})
	other := serving(t, postgres.Options{Pool: connect(t, s.URL("postgres")), Schema: schema})
	before := written(t, store, "x", "1") // a busy machine may not connect through the link within its 2 seconds
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, before.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	l.lead("")
	_, err = put(t.Context(), other, "x", "2")
	require.NoError(t, err)
	_, err = store.Get(t.Context(), note("x"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	require.Equal(t, 503, status.CodeOf(err))
	require.Error(t, store.Ready())
	_, err = put(t.Context(), store, "x", "3")
	require.ErrorIs(t, err, storage.ErrUnavailable)
	got, err := store.Get(t.Context(), note("x"), storage.Any)
	require.NoError(t, err)
	require.Equal(t, before, got)

	l.lead(s.Socket())
	assert.Contains(t, string(storagetest.Text(latest(t, store, "x"))), `"text":"2"`)
	changes, err := cursor.Next(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, changes, 1, "the watch goes on")
	require.NoError(t, store.Ready())
}

// If connections lose all packets without an error, a replica notices when it asks, and opens new ones. It gives up one
// connection of the pool after the other.
func TestLostPackets(t *testing.T) {
	s := server(t)
	l := newLink(t, s)
	schema := newSchema()
	store := serving(t, postgres.Options{Pool: connect(t, l.url()), Schema: schema, Timeout: time.Second})
	other := serving(t, postgres.Options{Pool: connect(t, s.URL("postgres")), Schema: schema})
	cursor := following(t, store)
	_, err := put(t.Context(), other, "x", "1")
	require.NoError(t, err)
	next(t, cursor, 1)
	l.swallow()
	want, err := put(t.Context(), other, "x", "2")
	require.NoError(t, err)
	_, err = store.Get(t.Context(), note("x"), storage.MostRecent)
	require.ErrorIs(t, err, storage.ErrUnavailable)
	require.ErrorIs(t, store.Ready(), storage.ErrUnavailable)
	require.Equal(t, want, latest(t, store, "x"))
	require.Equal(t, want, next(t, cursor, 1)[0].Current, "the watch goes on")
	eventually(t, func() error {
		want, err = put(t.Context(), store, "x", "3")
		return err
	})
	require.NoError(t, store.Ready())
	l.lead("") // the driver waits for 15 seconds until it gives up a connection that does not answer
}

// A server that was killed has everything that was acknowledged, and watches go on.
func TestServerKilled(t *testing.T) {
	s := start(t, postgrestest.Options{})
	store := serving(t, postgres.Options{Pool: connect(t, s.URL("postgres")), Timeout: 5 * time.Second})
	var last *storage.Record
	for n := range 20 {
		last = written(t, store, fmt.Sprint(n), "1")
	}
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, last.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	require.NoError(t, s.Kill())
	_, err = put(t.Context(), store, "x", "1")
	require.Error(t, err)
	require.NoError(t, s.Restart())
	require.Equal(t, last, latest(t, store, "19"))
	again := written(t, store, "y", "1")
	require.Equal(t, last.Revision+1, again.Revision, "the epoch goes on")
	changes, err := cursor.Next(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, again, changes[0].Current)
}

// A server that lacks the last commits never gives out their revisions again.
func TestServersThatLackTheLastCommits(t *testing.T) {
	const point = "before the lost commit"
	for name, c := range map[string]struct {
		settings map[string]string // the settings of the other server
		before   func(t *testing.T, primary *postgrestest.Server, other *pgxpool.Pool)
		after    string // what the other server answers with true when it goes no further
	}{
		"promoted standby": {nil, func(t *testing.T, _ *postgrestest.Server, other *pgxpool.Pool) {
			execute(t, other, "ALTER SYSTEM SET primary_conninfo = ''")
			execute(t, other, "SELECT pg_reload_conf()")
			eventually(t, func() error { // the standby no longer receives anything
				receivers := 0
				err := other.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_wal_receiver").Scan(&receivers)
				if err == nil && receivers > 0 {
					err = errors.New("it still receives")
				}
				return err
			})
		}, "SELECT true"},
		"recovery to a point in time": {
			map[string]string{"recovery_target_name": point, "recovery_target_action": "pause"},
			func(t *testing.T, primary *postgrestest.Server, _ *pgxpool.Pool) {
				execute(t, connect(t, primary.URL("postgres")), "SELECT pg_create_restore_point($1)", point)
			}, "SELECT pg_get_wal_replay_pause_state() = 'paused'"},
	} {
		t.Run(name, func(t *testing.T) {
			primary := start(t, postgrestest.Options{})
			l := newLink(t, primary)
			store := serving(t, postgres.Options{Pool: connect(t, l.url()), Timeout: 5 * time.Second})
			kept := written(t, store, "kept", "1")
			other, err := primary.Standby(c.settings)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, other.Stop()) })
			behind := connect(t, other.URL("postgres"))
			c.before(t, primary, behind)
			lost := written(t, store, "lost", "1")
			cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, kept.Revision)
			require.NoError(t, err)
			defer cursor.Close()
			eventually(t, func() error {
				reached := false
				err := behind.QueryRow(t.Context(), c.after).Scan(&reached)
				if err == nil && !reached {
					err = errors.New("it still recovers")
				}
				return err
			})
			require.NoError(t, primary.Kill())
			l.lead(other.Socket())
			_, err = store.Get(t.Context(), note("kept"), storage.MostRecent)
			require.ErrorIs(t, err, storage.ErrUnavailable, "a standby does not answer for the most recent state")
			require.NoError(t, other.Promote())

			eventually(t, func() error {
				_, err := store.Get(t.Context(), note("lost"), storage.MostRecent)
				if errors.Is(err, storage.ErrNotFound) {
					return nil
				}
				return fmt.Errorf("the lost object: %w", err)
			})
			require.Equal(t, kept, latest(t, store, "kept"))
			var next *storage.Record
			eventually(t, func() (err error) {
				next, err = put(t.Context(), store, "next", "1")
				return err
			})
			require.Greater(t, next.Revision, lost.Revision)
			for _, after := range []watch.Revision{kept.Revision, lost.Revision} {
				_, err = store.Watch(t.Context(), watch.Key{Resource: notes}, after)
				require.True(t, status.IsExpired(err), "%v", err)
			}
			for err = nil; err == nil; { // what it has not yet read may be shown
				_, err = cursor.Next(t.Context(), nil)
			}
			require.True(t, status.IsExpired(err), "%v", err)
		})
	}
}

// A restored dump has a new epoch, even on the server of the original.
func TestRestoredDump(t *testing.T) {
	s := server(t)
	pool, schema := connect(t, s.URL("postgres")), newSchema()
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	kept, err := put(t.Context(), store, "kept", "1")
	require.NoError(t, err)
	script, err := s.Dump("--schema", `"`+schema+`"`, "postgres")
	require.NoError(t, err)
	lost, err := put(t.Context(), store, "lost", "1")
	require.NoError(t, err)
	execute(t, pool, "CREATE DATABASE restored")
	require.NoError(t, s.Restore("restored", script))

	restored := serving(t, postgres.Options{Pool: connect(t, s.URL("restored")), Schema: schema})
	require.Greater(t, restored.Revision(), lost.Revision)
	require.Equal(t, kept, latest(t, restored, "kept"))
	_, err = restored.Watch(t.Context(), watch.Key{Resource: notes}, kept.Revision)
	require.True(t, status.IsExpired(err), "%v", err)
	next, err := put(t.Context(), restored, "next", "1")
	require.NoError(t, err)
	require.Greater(t, next.Revision, lost.Revision)
}

// A new epoch continues above all revisions even if the clock of the server was set back.
func TestClockSetBack(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	ahead := watch.Revision(time.Now().Add(1000 * time.Hour).UnixMicro())
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, Engine: storage.Options{Start: ahead}})
	r, err := put(t.Context(), store, "x", "1")
	require.NoError(t, err)
	require.Greater(t, r.Revision, ahead)
	execute(t, pool, fmt.Sprintf(`SELECT "%s".begin_epoch()`, schema))
	eventually(t, func() (err error) {
		if r, err = put(t.Context(), store, "x", "2"); err == nil && r.Revision < ahead+1<<32 {
			err = errors.New("the old epoch goes on")
		}
		return err
	})
}

// Refused writes get 503 with the cause and change nothing, and the store recovers on its own.
func TestRefusedWrites(t *testing.T) {
	const refuse = `CREATE FUNCTION "%[1]s".refuse() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON "%[1]s".objects FOR EACH ROW EXECUTE FUNCTION "%[1]s".refuse()`
	for name, c := range map[string]struct {
		begin, end string
		want       error
		says       string
	}{
		"read-only": {"ALTER DATABASE postgres SET default_transaction_read_only = on",
			"ALTER DATABASE postgres RESET default_transaction_read_only", storage.ErrReadOnly, "read-only"},
		"disk full": {refuse, `DROP TRIGGER refuse ON "%[1]s".objects`, storage.ErrReadOnly, "no space left"},
		"statement timeout": {"ALTER ROLE postgres SET statement_timeout = 200",
			"ALTER ROLE postgres RESET statement_timeout", storage.ErrUnavailable, "statement_timeout"},
		"schema locked": {"", "", storage.ErrUnavailable, "locks the schema"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, postgrestest.Options{})
			operator, err := pgxpool.New(t.Context(), s.URL("template1"))
			require.NoError(t, err)
			defer operator.Close()
			other := connect(t, s.URL("postgres"))
			pool, schema := connect(t, s.URL("postgres")), newSchema()
			store := serving(t, postgres.Options{Pool: pool, Schema: schema, Timeout: 3 * time.Second})
			before := written(t, store, "x", "1")
			change := func(statement string) {
				if statement != "" {
					target := operator
					if name == "disk full" {
						target, statement = other, fmt.Sprintf(statement, schema)
					}
					_, err := target.Exec(t.Context(), statement)
					require.NoError(t, err)
				}
				pool.Reset() // settings of roles and databases concern new connections
			}
			change(c.begin)
			unlock := func() {}
			if c.want == storage.ErrUnavailable {
				tx, err := other.Begin(t.Context())
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), fmt.Sprintf(`SELECT FROM "%s".state FOR UPDATE`, schema))
				require.NoError(t, err)
				unlock = func() { require.NoError(t, tx.Rollback(t.Context())) }
			}
			eventually(t, func() error { // on a busy machine, the time of the store may be over before it has the answer
				_, err := put(t.Context(), store, "x", "2")
				require.Error(t, err)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || status.CodeOf(err) != 503 {
					return fmt.Errorf("another reason: %w", err)
				}
				return nil
			})
			if c.want == storage.ErrReadOnly {
				assert.ErrorIs(t, store.Ready(), storage.ErrReadOnly)
			}
			assert.Equal(t, before, latest(t, store, "x"), "reads go on, and nothing has changed")
			unlock()
			change(c.end)
			eventually(t, func() error {
				_, err := put(t.Context(), store, "x", "3")
				return err
			})
			eventually(t, store.Ready)
		})
	}
}

// While Postgres is read-only for a replica, the replica shows everything that others commit, also after it has lost
// its connection, and after a restart of the server. Replicas can open meanwhile.
func TestReadOnlyServer(t *testing.T) {
	s := start(t, postgrestest.Options{})
	l := newLink(t, s)
	opts := postgres.Options{Pool: connect(t, l.url()), Timeout: 5 * time.Second}
	writable := connect(t, s.URL("postgres")+"&default_transaction_read_only=off")
	store := serving(t, opts)
	first := written(t, store, "x", "1")
	cursor, err := store.Watch(t.Context(), watch.Key{Resource: notes}, first.Revision)
	require.NoError(t, err)
	defer cursor.Close()
	l.lead("")
	eventually(t, func() error { // Postgres has ended the connection that listened
		listening := 0
		err := writable.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").Scan(&listening)
		if err == nil && listening > 0 {
			err = errors.New("the replica still listens")
		}
		return err
	})
	other := serving(t, postgres.Options{Pool: writable, Timeout: 5 * time.Second}) // alone, so it notifies nobody
	execute(t, writable, "ALTER SYSTEM SET default_transaction_read_only = on")
	execute(t, writable, "SELECT pg_reload_conf()")
	l.lead(s.Socket())

	shows := func(text string) (want *storage.Record) {
		t.Helper()
		eventually(t, func() (err error) {
			want, err = put(t.Context(), other, "x", text)
			return err
		})
		require.Equal(t, want, latest(t, store, "x"))
		require.Equal(t, want, next(t, cursor, 1)[0].Current)
		return want
	}
	shows("2")
	shows("3")
	require.ErrorIs(t, store.Ready(), storage.ErrReadOnly)
	_, err = put(t.Context(), store, "x", "refused")
	require.ErrorIs(t, err, storage.ErrReadOnly)
	opened := serving(t, opts)
	want := shows("4")
	require.Equal(t, want, latest(t, opened, "x"))

	require.NoError(t, other.Close())
	require.NoError(t, s.Kill())
	require.NoError(t, s.Restart())
	require.Equal(t, want, latest(t, store, "x"))
	require.Equal(t, want, latest(t, serving(t, opts), "x"))

	execute(t, writable, "ALTER SYSTEM RESET default_transaction_read_only")
	execute(t, writable, "SELECT pg_reload_conf()")
	var last *storage.Record
	eventually(t, func() (err error) {
		last, err = put(t.Context(), store, "x", "5")
		return err
	})
	require.Equal(t, want.Revision+1, last.Revision, "the epoch goes on")
	require.Equal(t, last, next(t, cursor, 1)[0].Current)
	eventually(t, store.Ready)
}

// On a full disk, Postgres refuses writes or stops. No acknowledged write is lost, and the store recovers on its own.
func TestFullDisk(t *testing.T) {
	disk := filepath.Join(os.TempDir(), fmt.Sprint("decorum-disk-", os.Getpid()))
	require.NoError(t, os.Mkdir(disk, 0o755))
	defer os.Remove(disk)
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=160m"); err != nil {
		t.Skipf("NOT RUN: only root can mount a small disk: %v", err) // CI is root
	}
	defer func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	require.NoError(t, os.Chmod(disk, 0o777))
	s, err := postgrestest.Start(postgrestest.Options{Dir: disk,
		Settings: map[string]string{"max_wal_size": "32MB", "wal_keep_size": "0"}})
	if errors.Is(err, postgrestest.ErrNotInstalled) {
		t.Skip(err) // as for every test with a server
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop()) }()
	store := serving(t, postgres.Options{Pool: connect(t, s.URL("postgres")), Timeout: 5 * time.Second})
	filler := filepath.Join(disk, "filler")
	require.NoError(t, os.WriteFile(filler, make([]byte, 40<<20), 0o600))
	random := make([]byte, 250_000) // Postgres cannot compress random bytes
	acknowledged := 0
	for ; err == nil; acknowledged++ {
		require.Less(t, acknowledged, 1000, "the disk has 160 MB")
		_, _ = rand.Read(random)
		_, err = put(t.Context(), store, fmt.Sprint(acknowledged), hex.EncodeToString(random))
	}
	acknowledged--
	require.Contains(t, []int{503, 504}, status.CodeOf(err), "%v", err)
	got, err := store.Get(t.Context(), note("0"), storage.Any)
	require.NoError(t, err)
	require.NotNil(t, got, "reads of any state continue")

	require.NoError(t, os.Remove(filler))
	if s.Ended() {
		require.NoError(t, s.Restart())
	}
	eventually(t, func() error {
		_, err := put(t.Context(), store, "afterwards", "1")
		return err
	})
	eventually(t, store.Ready)
	for n := range acknowledged {
		require.NotNil(t, latest(t, store, fmt.Sprint(n)), "%d was acknowledged", n)
	}
}

// A newer program upgrades the layout of an older one.
func TestOlderLayout(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	first, err := os.ReadFile("layout/1.sql")
	require.NoError(t, err)
	execute(t, pool, fmt.Sprintf(`CREATE SCHEMA "%s"`, schema))
	require.NoError(t, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		script := fmt.Sprintf(`SET LOCAL search_path = "%s", pg_temp; %s; INSERT INTO meta (layout, id) VALUES (1, 'older')`,
			schema, first)
		_, err := tx.Conn().PgConn().Exec(t.Context(), script).ReadAll()
		return err
	}))
	store := serving(t, postgres.Options{Pool: pool, Schema: schema})
	_, err = put(t.Context(), store, "x", "1")
	require.NoError(t, err)
	inLine := false
	require.NoError(t, pool.QueryRow(t.Context(),
		`SELECT 'toast_tuple_target=8160' = ANY (reloptions) FROM pg_class WHERE oid = $1::regclass`,
		fmt.Sprintf(`"%s".objects`, schema)).Scan(&inLine))
	require.True(t, inLine)
	planned := ""
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT proconfig::text FROM pg_proc WHERE oid = to_regproc($1)`,
		fmt.Sprintf(`"%s".commit_groups`, schema)).Scan(&planned))
	require.Contains(t, planned, "plan_cache_mode=force_generic_plan")
}

// Replicas that open an empty schema at once wait for the one that creates the tables.
func TestReplicasOpenTogether(t *testing.T) {
	pool := connect(t, server(t).URL("postgres"))
	for range 10 {
		schema := newSchema()
		var opening sync.WaitGroup
		for range 6 {
			opening.Go(func() {
				store, err := postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: schema, Timeout: time.Minute})
				if assert.NoError(t, err) {
					assert.NoError(t, store.Close())
				}
			})
		}
		opening.Wait()
	}
}

// An older program refuses a newer layout, and changes nothing.
func TestNewerLayout(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	serving(t, postgres.Options{Pool: pool, Schema: schema})
	execute(t, pool, fmt.Sprintf(`UPDATE "%s".meta SET layout = 99`, schema))
	_, err := postgres.Open(t.Context(), postgres.Options{Pool: pool, Schema: schema})
	require.ErrorIs(t, err, postgres.ErrFormat)
}

// A newer program upgrades the layout while an older one runs. The older one reports that it is not ready, and refuses
// every commit, including that of a host's transaction that began before the upgrade.
func TestLayoutUpgradedMeanwhile(t *testing.T) {
	for name, poll := range map[string]time.Duration{"listening": 0, "polling": 10 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			pool, schema := connect(t, server(t).URL("postgres")), newSchema()
			store := serving(t, postgres.Options{Pool: pool, Schema: schema, Poll: poll})
			before, err := put(t.Context(), store, "x", "1")
			require.NoError(t, err)
			tx, err := pool.Begin(t.Context())
			require.NoError(t, err)
			defer tx.Rollback(t.Context())
			_, err = put(postgres.InTx(t.Context(), tx), store, "x", "host")
			require.NoError(t, err)
			_, err = pool.Exec(t.Context(), fmt.Sprintf(`WITH upgraded AS (UPDATE "%[1]s".meta SET layout = 99 RETURNING id),
				state AS (UPDATE "%[1]s".state SET layout = 99)
				SELECT pg_notify('decorum_' || id, 'layout') FROM upgraded`, schema)) // as a newer program does
			require.NoError(t, err)

			require.ErrorContains(t, tx.Commit(t.Context()), "layout 99")
			two := []storage.Key{note("x"), note("y")}
			for range 2 {
				_, err = put(t.Context(), store, "x", "2")
				require.Equal(t, 503, status.CodeOf(err), "%v", err)
				_, err = store.UpdateAll(t.Context(), two, func([]*storage.Record) ([][]byte, error) {
					return [][]byte{noteJSON("x", "2"), noteJSON("y", "2")}, nil
				})
				require.Equal(t, 503, status.CodeOf(err), "%v", err)
				_, err = store.Get(t.Context(), note("x"), storage.MostRecent)
				require.ErrorIs(t, err, storage.ErrUnavailable)
				require.ErrorIs(t, err, postgres.ErrFormat)
			}
			eventually(t, func() error {
				if err := store.Ready(); !errors.Is(err, postgres.ErrFormat) {
					return fmt.Errorf("the store is ready: %w", err)
				}
				return nil
			})
			got, err := store.Get(t.Context(), note("x"), storage.Any)
			require.NoError(t, err)
			require.Equal(t, before, got, "reads of any state continue")
			var revision watch.Revision
			require.NoError(t, pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT revision FROM "%s".state`, schema)).Scan(&revision))
			require.Equal(t, before.Revision, revision, "nothing was committed")
		})
	}
}

func TestOpenFails(t *testing.T) {
	_, err := postgres.Open(t.Context(), postgres.Options{})
	require.Error(t, err)
	pool, err := pgxpool.New(t.Context(), "postgres://postgres@127.0.0.1:1/postgres")
	require.NoError(t, err)
	defer pool.Close()
	_, err = postgres.Open(t.Context(), postgres.Options{Pool: pool, Timeout: time.Second})
	require.ErrorIs(t, err, storage.ErrUnavailable)
}

// The store needs no more than a schema: either its role owns it, or its role has been granted the tables.
func TestLeastPrivileges(t *testing.T) {
	s := start(t, postgrestest.Options{})
	admin := connect(t, s.URL("postgres"))
	as := func(role string) *pgxpool.Pool {
		execute(t, admin, "CREATE ROLE "+role+" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
		u, err := url.Parse(s.URL("postgres"))
		require.NoError(t, err)
		query := u.Query()
		query.Set("user", role)
		u.RawQuery = query.Encode()
		return connect(t, u.String())
	}
	execute(t, admin, `REVOKE ALL ON DATABASE postgres FROM PUBLIC; GRANT CONNECT ON DATABASE postgres TO PUBLIC;
		REVOKE ALL ON SCHEMA public FROM PUBLIC`)
	owner, user, stranger := as("owner"), as("app"), as("stranger")
	execute(t, admin, "CREATE SCHEMA platform AUTHORIZATION owner")
	store := serving(t, postgres.Options{Pool: owner, Schema: "platform", HistoryBytes: 10_000})
	execute(t, owner, `GRANT USAGE ON SCHEMA platform TO app;
		GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA platform TO app`)
	granted := serving(t, postgres.Options{Pool: user, Schema: "platform", HistoryBytes: 10_000})
	for n, writer := range []storage.Store{store, granted} {
		for i := range 20 {
			_, err := put(t.Context(), writer, fmt.Sprint(i%3), fmt.Sprint(n, i, large))
			require.NoError(t, err)
		}
		execute(t, admin, `SELECT platform.begin_epoch()`)
		latest(t, writer, "0")
	}
	_, err := postgres.Open(t.Context(), postgres.Options{Pool: stranger, Schema: "platform"})
	require.ErrorContains(t, err, "permission denied")
	_, err = postgres.Open(t.Context(), postgres.Options{Pool: owner, Schema: "elsewhere"})
	require.ErrorContains(t, err, "permission denied")
}
