package rest_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

var errChangedMind = errors.New("the function has changed its mind")

// bank is an API with accounts, and with namespaces.
type bank struct {
	*rest.API
	accounts rest.Client[Account]
}

func newBank(t *testing.T, options rest.Options, change ...func(*rest.Resource[Account])) bank {
	t.Helper()
	accounts := rest.Resource[Account]{Group: "example.com", Version: "v1", Plural: "accounts"}
	for _, f := range change {
		f(&accounts)
	}
	api, err := rest.New(options, accounts, builtin.Namespaces())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return bank{api, apitest.ClientFor[Account](t, api).Namespace("default")}
}

func account(name string, balance int) *Account {
	return &Account{ObjectMeta: apimeta.ObjectMeta{Name: name}, Balance: balance}
}

func (b bank) create(ctx context.Context, t *testing.T, name string, balance int) *Account {
	t.Helper()
	a, err := b.accounts.Create(ctx, account(name, balance))
	require.NoError(t, err)
	return a
}

// balances returns the balance of each account.
func (b bank) balances(ctx context.Context, t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	for a, err := range b.accounts.All(ctx, rest.ListOptions{}) {
		require.NoError(t, err)
		all[a.Name] = a.Balance
	}
	return all
}

func TestTransactCommitsAllOrNothing(t *testing.T) {
	for name, result := range map[string]error{"success": nil, "failure": errChangedMind} {
		t.Run(name, func(t *testing.T) {
			b := newBank(t, rest.Options{})
			kept := b.create(t.Context(), t, "kept", 1)
			b.create(t.Context(), t, "deleted", 1)
			var versions [2]string
			err := b.Transact(t.Context(), func(ctx context.Context) error {
				created := b.create(ctx, t, "created", 1)
				assert.Empty(t, created.ResourceVersion)
				created.Balance = 2
				_, err := b.accounts.Update(ctx, created)
				require.NoError(t, err, "an object of the transaction needs no resourceVersion")
				changed := *kept
				changed.Balance = 2
				_, err = b.accounts.Update(ctx, &changed)
				require.NoError(t, err)
				_, err = b.accounts.Update(ctx, &changed)
				assert.True(t, status.IsConflict(err), "the resourceVersion is outdated: %v", err)
				require.NoError(t, b.accounts.Delete(ctx, "deleted", rest.DeleteOptions{}))
				_, err = b.accounts.Get(ctx, "deleted")
				assert.True(t, status.IsNotFound(err))
				assert.Equal(t, map[string]int{"created": 2, "kept": 2}, b.balances(ctx, t))
				assert.Equal(t, map[string]int{"deleted": 1, "kept": 1}, b.balances(t.Context(), t))
				assert.True(t, b.AfterCommit(ctx, func(c rest.Committed) {
					gr := apimeta.GroupResource{Group: "example.com", Resource: "accounts"}
					versions = [2]string{c.ResourceVersion(gr, "default", "created"), c.ResourceVersion(gr, "default", "kept")}
					assert.NotEmpty(t, c.ResourceVersion(gr, "default", "deleted"))
					assert.Empty(t, c.ResourceVersion(gr, "default", "absent"))
				}))
				return result
			})
			require.Equal(t, result, err)
			if result != nil {
				assert.Equal(t, map[string]int{"deleted": 1, "kept": 1}, b.balances(t.Context(), t))
				assert.Zero(t, versions, "nothing was committed")
				return
			}
			assert.Equal(t, map[string]int{"created": 2, "kept": 2}, b.balances(t.Context(), t))
			for i, name := range []string{"created", "kept"} {
				a, err := b.accounts.Get(t.Context(), name)
				require.NoError(t, err)
				assert.Equal(t, versions[i], a.ResourceVersion)
			}
			first, _ := strconv.Atoi(versions[0])
			assert.Equal(t, strconv.Itoa(first+1), versions[1], "the resourceVersions follow each other")
		})
	}
}

func TestTransactChecksWhatItSees(t *testing.T) {
	b := newBank(t, rest.Options{})
	b.create(t.Context(), t, "old", 1)
	namespaces := apitest.ClientFor[builtin.Namespace](t, b.API)
	inside := apitest.ClientFor[Account](t, b.API).Namespace("inside")
	for name, c := range map[string]struct {
		call func(ctx context.Context) error
		is   func(error) bool
	}{
		"object in a namespace of the transaction": {func(ctx context.Context) error {
			_, err := namespaces.Create(ctx, &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "inside"}})
			require.NoError(t, err)
			a, err := inside.Create(ctx, &Account{ObjectMeta: apimeta.ObjectMeta{GenerateName: "a-"}})
			require.NoError(t, err)
			_, err = inside.Get(ctx, a.Name)
			return err
		}, nil},
		"namespace that does not exist": {func(ctx context.Context) error {
			_, err := apitest.ClientFor[Account](t, b.API).Namespace("none").Create(ctx, account("a", 1))
			return err
		}, status.IsNotFound},
		"name twice": {func(ctx context.Context) error {
			b.create(ctx, t, "twice", 1)
			_, err := b.accounts.Create(ctx, account("twice", 2))
			return err
		}, status.IsAlreadyExists},
		"deleted and created anew": {func(ctx context.Context) error {
			require.NoError(t, b.accounts.Delete(ctx, "old", rest.DeleteOptions{}))
			_, err := b.accounts.Create(ctx, account("old", 2))
			return err
		}, status.IsConflict},
		"watch": {func(ctx context.Context) error {
			for _, err := range b.accounts.Watch(ctx, rest.WatchOptions{}) {
				return err
			}
			return nil
		}, status.IsBadRequest},
		"rehearsal in a transaction": {func(ctx context.Context) error {
			return b.Rehearse(ctx, func(context.Context) error { return nil })
		}, status.IsBadRequest},
	} {
		before := b.balances(t.Context(), t)
		err := b.Transact(t.Context(), c.call)
		if c.is == nil {
			assert.NoError(t, err, name)
			continue
		}
		assert.True(t, c.is(err), "%s: %v", name, err)
		assert.Equal(t, before, b.balances(t.Context(), t), name)
	}
}

// No transaction spans two stores.
func TestTransactRefusesKindsWithAnotherStore(t *testing.T) {
	apart := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, apart.Close()) })
	b := newBank(t, rest.Options{Stores: map[apimeta.GroupResource]storage.Store{{Group: "example.com",
		Resource: "accounts"}: apart}})
	err := b.Transact(t.Context(), func(ctx context.Context) error {
		_, err := b.accounts.Create(ctx, account("a", 1))
		return err
	})
	assert.True(t, status.IsBadRequest(err), "%v", err)
	assert.Empty(t, b.balances(t.Context(), t))
}

// A hook that writes with its context writes in the transaction.
func TestHooksJoinTheTransaction(t *testing.T) {
	var b bank
	b = newBank(t, rest.Options{Admission: []admission.Hook{{
		Name: "log.example.com",
		Validate: func(ctx context.Context, r *admission.Request) error {
			if r.Resource.Resource != "accounts" || r.Name != "main" {
				return nil
			}
			_, err := b.accounts.Create(ctx, account("log", 1))
			return err
		},
	}}})
	write := func(result error) error {
		return b.Transact(t.Context(), func(ctx context.Context) error {
			b.create(ctx, t, "main", 1)
			_, err := b.accounts.Get(ctx, "log")
			require.NoError(t, err)
			return result
		})
	}
	assert.Equal(t, errChangedMind, write(errChangedMind))
	assert.Empty(t, b.balances(t.Context(), t))
	require.NoError(t, write(nil))
	assert.Equal(t, map[string]int{"main": 1, "log": 1}, b.balances(t.Context(), t))
}

func TestTransactDeletes(t *testing.T) {
	hold := func(a *Account) { a.Finalizers = []string{"example.com/hold"} }
	grace := func(seconds int64) func(*rest.Resource[Account]) {
		return func(r *rest.Resource[Account]) {
			r.Hooks.GracePeriod = func(context.Context, *Account, *int64) (int64, error) { return seconds, nil }
		}
	}
	for name, c := range map[string]struct {
		object            func(*Account)
		kind              func(*rest.Resource[Account])
		inside, afterward bool // the object exists
	}{
		"an object":           {func(*Account) {}, func(*rest.Resource[Account]) {}, false, false},
		"a held object":       {hold, func(*rest.Resource[Account]) {}, true, true},
		"an object with time": {func(*Account) {}, grace(60), true, true},
		"without time left":   {func(*Account) {}, grace(0), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBank(t, rest.Options{}, c.kind)
			a := account("a", 1)
			c.object(a)
			_, err := b.accounts.Create(t.Context(), a)
			require.NoError(t, err)
			for _, result := range []error{errChangedMind, nil} {
				err = b.Transact(t.Context(), func(ctx context.Context) error {
					require.NoError(t, b.accounts.Delete(ctx, "a", rest.DeleteOptions{}))
					marked, err := b.accounts.Get(ctx, "a")
					assert.Equal(t, c.inside, err == nil, "%v", err)
					assert.Equal(t, c.inside, err == nil && marked.DeletionTimestamp != nil)
					return result
				})
				require.Equal(t, result, err)
				left, err := b.accounts.Get(t.Context(), "a")
				if result != nil {
					require.NoError(t, err)
					assert.Nil(t, left.DeletionTimestamp)
					continue
				}
				assert.Equal(t, c.afterward, err == nil, "%v", err)
			}
		})
	}
}

// A rehearsal takes every step, and its calls see what it has written, but nothing is stored.
func TestRehearse(t *testing.T) {
	var dry []bool
	b := newBank(t, rest.Options{Admission: []admission.Hook{{
		Name: "notes.example.com",
		Validate: func(_ context.Context, r *admission.Request) error {
			if r.Resource.Resource == "accounts" {
				dry = append(dry, r.DryRun)
			}
			return nil
		},
	}}})
	b.create(t.Context(), t, "old", 1)
	for _, result := range []error{nil, errChangedMind} {
		assert.Equal(t, result, b.Rehearse(t.Context(), func(ctx context.Context) error {
			b.create(ctx, t, "new", 1)
			require.NoError(t, b.accounts.Delete(ctx, "old", rest.DeleteOptions{}))
			assert.Equal(t, map[string]int{"new": 1}, b.balances(ctx, t))
			assert.True(t, b.AfterCommit(ctx, func(rest.Committed) { t.Error("nothing is committed") }))
			return result
		}))
	}
	assert.Equal(t, map[string]int{"old": 1}, b.balances(t.Context(), t))
	assert.Equal(t, []bool{false, true, true, true, true}, dry)
}

// Everything that the transaction writes counts, and the write that exceeds the quota fails.
func TestTransactChargesQuotas(t *testing.T) {
	store := memory.New(storage.Options{Ledger: quota.New(func(of quota.Account) []quota.Limit {
		if of.Namespace != "default" {
			return nil
		}
		return []quota.Limit{{Name: "two", Resource: "accounts.example.com", Objects: 2}}
	})})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	b := newBank(t, rest.Options{Store: store})
	err := b.Transact(t.Context(), func(ctx context.Context) error {
		b.create(ctx, t, "a", 1)
		b.create(ctx, t, "b", 1)
		_, err := b.accounts.Create(ctx, account("c", 1))
		assert.ErrorContains(t, err, `accounts.example.com "c" is forbidden: exceeded quota: two`)
		return err
	})
	assert.True(t, status.IsForbidden(err), "%v", err)
	assert.Empty(t, b.balances(t.Context(), t))
	require.NoError(t, b.Transact(t.Context(), func(ctx context.Context) error {
		b.create(ctx, t, "a", 1)
		require.NoError(t, b.accounts.Delete(ctx, "a", rest.DeleteOptions{}))
		b.create(ctx, t, "b", 1)
		b.create(ctx, t, "c", 1)
		return nil
	}))
}

// Transfers at the same time keep the sum.
func TestTransfers(t *testing.T) {
	const clients, transfers = 4, 20
	b := newBank(t, rest.Options{})
	names := []string{"a", "b", "c"}
	for _, name := range names {
		b.create(t.Context(), t, name, 100)
	}
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for n := range transfers {
				from, to := names[(c+n)%3], names[(c+n+1)%3]
				assert.NoError(t, b.Transact(t.Context(), func(ctx context.Context) error {
					for name, by := range map[string]int{from: -1, to: 1} {
						if _, err := b.accounts.Modify(ctx, name, func(a *Account) error { a.Balance += by; return nil }); err != nil {
							return err
						}
					}
					sum := 0
					for _, balance := range b.balances(ctx, t) {
						sum += balance
					}
					if sum != 300 {
						return errChangedMind // only in a run whose reads are outdated
					}
					return nil
				}))
			}
		})
	}
	all.Wait()
	sum := 0
	for _, balance := range b.balances(t.Context(), t) {
		sum += balance
	}
	assert.Equal(t, 300, sum)
}

func TestTransactEnds(t *testing.T) {
	b := newBank(t, rest.Options{})
	var leaked context.Context
	assert.PanicsWithValue(t, "mine", func() {
		_ = b.Transact(t.Context(), func(ctx context.Context) error {
			leaked = ctx
			b.create(ctx, t, "a", 1)
			panic("mine")
		})
	})
	_, err := b.accounts.Create(leaked, account("b", 1))
	assert.True(t, status.IsBadRequest(err), "%v", err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	err = b.Transact(ctx, func(ctx context.Context) error {
		b.create(ctx, t, "c", 1)
		cancel()
		return nil
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, b.balances(t.Context(), t))
	assert.False(t, b.AfterCommit(t.Context(), func(rest.Committed) {}), "the context belongs to no transaction")

	n := 0
	err = b.Transact(t.Context(), func(ctx context.Context) error {
		n++
		_, err := b.accounts.Get(ctx, "contended")
		require.True(t, status.IsNotFound(err) || err == nil)
		_, err = b.accounts.FieldManager("other").Apply(t.Context(), "contended", map[string]any{"balance": n},
			apimeta.ApplyOptions{})
		require.NoError(t, err)
		return nil
	})
	assert.True(t, status.IsConflict(err), "%v", err)
	assert.Equal(t, storage.MaxAttempts, n)
}

// BenchmarkTransaction compares a transaction of 10 writes with 10 writes. In memory it costs about as much. A file
// syncs once instead of ten times.
func BenchmarkTransaction(bench *testing.B) {
	bench.Run("memory", func(bench *testing.B) { benchmarkTransaction(bench, apitest.NewStore(bench)) })
	bench.Run("bolt", func(bench *testing.B) {
		store, err := bolt.Open(bench.Context(), bolt.Options{Path: filepath.Join(bench.TempDir(), "objects")})
		require.NoError(bench, err)
		benchmarkTransaction(bench, apitest.CloseAtEnd(bench, store))
	})
}

func benchmarkTransaction(bench *testing.B, store storage.Store) {
	api, err := rest.New(rest.Options{Store: store},
		rest.Resource[Account]{Group: "example.com", Version: "v1", Plural: "accounts"})
	require.NoError(bench, err)
	defer api.Close()
	accounts := apitest.ClientFor[Account](bench, api).Namespace("default")
	var names []string
	for i := range 10 {
		names = append(names, strconv.Itoa(i))
		_, err := accounts.Create(bench.Context(), account(names[i], 1))
		require.NoError(bench, err)
	}
	writeAll := func(ctx context.Context) error {
		for _, name := range names {
			if _, err := accounts.Modify(ctx, name, func(a *Account) error { a.Balance++; return nil }); err != nil {
				return err
			}
		}
		return nil
	}
	var alone, together time.Duration
	for bench.Loop() {
		began := time.Now()
		require.NoError(bench, writeAll(bench.Context()))
		between := time.Now()
		require.NoError(bench, api.Transact(bench.Context(), writeAll))
		alone, together = alone+between.Sub(began), together+time.Since(between)
	}
	bench.ReportMetric(float64(together)/float64(alone), "x-of-10-writes")
}
