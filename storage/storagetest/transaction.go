package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// transactionRules are the rules for a store that is a [storage.Transactor].
var transactionRules = []rule{
	{"Transaction", "What a function writes becomes visible together, and only its own calls see it before.",
		func(s *subject) {
			s.put(widget("a", "changed"), "red", 1)
			s.put(widget("a", "deleted"), "red", 1)
			kept := s.put(widget("a", "kept"), "red", 1)
			before := s.store.Revision()
			keys := []storage.Key{{Resource: nodes, Name: "created"}, widget("a", "changed"), widget("a", "deleted"),
				widget("a", "brief")}
			changes := s.mustTransact(func(in *subject) error {
				r := in.put(keys[0], "green", 1)
				require.Zero(s, r.Revision)
				require.Empty(s, string(Text(r)[r.Version.Start:r.Version.End]),
					"an object without a commit has no resourceVersion")
				in.put(keys[1], "green", 1)
				require.Equal(s, "red", in.remove(keys[2]).Fields[0])
				in.put(keys[3], "red", 1)
				in.remove(keys[3])
				r = in.put(keys[1], "blue", 2)
				s.requireSame(r, in.get(keys[1]))
				s.requireSame(kept, in.get(kept.Key))
				require.Nil(s, in.get(keys[2]))
				require.Nil(s, in.get(keys[3]))

				require.Nil(s, s.get(keys[0]), "nobody else sees it")
				require.Equal(s, "red", s.get(keys[1]).Fields[0])
				require.NotNil(s, s.get(keys[2]))
				require.Equal(s, before, s.store.Revision())
				return nil
			})
			require.Len(s, changes, 3)
			for i, c := range changes {
				require.Equal(s, keys[i], c.Key, "the changes are in the order of the first write")
				require.Equal(s, changes[0].Revision+watch.Revision(i), c.Revision)
				s.requireSame(c.Current, s.get(c.Key))
			}
			require.Equal(s, changes[2].Revision, s.store.Revision())
			require.Equal(s, "blue", changes[1].Current.Fields[0])

			cursor := s.watch(watch.Key{Resource: widgets}, before)
			seen, err := cursor.Poll(nil)
			require.NoError(s, err)
			require.Len(s, seen, 2, "a watch shows the group together")
			for i, c := range changes[1:] {
				require.Equal(s, c.Key, seen[i].Key)
				require.Equal(s, c.Revision, seen[i].Revision)
				s.requireSame(c.Current, seen[i].Current)
			}
			page := s.list(storage.Query{Within: watch.Key{Resource: widgets}, Revision: changes[0].Revision, Exact: true})
			require.Equal(s, changes[2].Revision, page.Revision, "no list shows a revision inside the group")
		}},
	{"EmptyTransaction", "A transaction that changes nothing makes no revision.", func(s *subject) {
		s.put(widget("a", "x"), "red", 1)
		before := s.store.Revision()
		require.Empty(s, s.mustTransact(func(in *subject) error {
			in.put(widget("a", "x"), "red", 1)
			in.put(widget("a", "y"), "red", 1)
			in.remove(widget("a", "y"))
			return nil
		}))
		require.Empty(s, s.mustTransact(func(*subject) error { return nil }))
		require.Equal(s, before, s.store.Revision())
	}},
	{"TransactionRunsAgain", "A transaction commits only if what it has seen is still so. Otherwise its function runs again.", func(s *subject) {
		x, y, result := widget("a", "x"), widget("a", "y"), storage.Key{Resource: nodes, Name: "result"}
		for name, c := range map[string]struct {
			see       func(in *subject)
			interfere func()
			runs      int
		}{
			"read object changed":            {func(in *subject) { in.get(x) }, func() { s.put(x, "green", 1) }, 2},
			"read object deleted":            {func(in *subject) { in.get(x) }, func() { s.remove(x) }, 2},
			"written object changed":         {func(in *subject) { in.put(x, "blue", 2) }, func() { s.put(x, "green", 1) }, 2},
			"deleted object changed":         {func(in *subject) { in.remove(x) }, func() { s.put(x, "green", 1) }, 2},
			"absent object created":          {func(in *subject) { in.get(y) }, func() { s.put(y, "green", 1) }, 2},
			"object of the same name, anew":  {func(in *subject) { in.get(x) }, func() { s.remove(x); s.put(x, "red", 1) }, 2},
			"object that nobody read":        {func(in *subject) { in.get(x) }, func() { s.put(y, "green", 1) }, 1},
			"created and changed by another": {func(in *subject) { in.put(y, "blue", 2) }, func() { s.put(y, "green", 1) }, 2},
		} {
			s.put(x, "red", 1)
			if s.get(y) != nil {
				s.remove(y)
			}
			for _, refuses := range []bool{false, true} {
				runs := 0
				_, err := s.transact(func(in *subject) error {
					runs++
					if c.see(in); runs == 1 {
						c.interfere()
						if refuses {
							return errRefused // the error rests on an outdated state
						}
					}
					in.put(result, name, runs)
					return nil
				})
				require.NoError(s, err, name)
				require.Equal(s, c.runs > 1 || !refuses, s.get(result) != nil && s.get(result).Fields[0] == name, name)
				require.Equal(s, c.runs, runs, name)
				if c.runs == 1 {
					break
				}
				s.put(x, "red", 1)
				if s.get(y) != nil {
					s.remove(y)
				}
			}
		}
	}},
	{"ContendedTransaction", "A transaction that never finds what it has seen unchanged fails, and changes nothing.",
		func(s *subject) {
			n := 0
			_, err := s.transact(func(in *subject) error {
				in.get(widget("a", "x"))
				in.put(widget("a", "y"), "red", 1)
				n++
				s.put(widget("a", "x"), "red", n)
				return nil
			})
			require.ErrorIs(s, err, storage.ErrContended)
			require.Equal(s, storage.MaxAttempts, n)
			require.Nil(s, s.get(widget("a", "y")))
		}},
	{"TransactionFails", "A transaction whose function fails, panics or has no time left changes nothing.",
		func(s *subject) {
			x, before := widget("a", "x"), s.store.Revision()
			_, err := s.transact(func(in *subject) error {
				in.put(x, "red", 1)
				return errRefused
			})
			require.Equal(s, errRefused, err)
			var leaked *subject
			require.PanicsWithValue(s, "mine", func() {
				_, _ = s.transact(func(in *subject) error {
					leaked = in
					in.put(x, "red", 1)
					panic("mine")
				})
			})
			_, err = leaked.store.Get(leaked.ctx, x, storage.Any)
			require.ErrorIs(s, err, storage.ErrTransaction, "the context outlives its transaction")
			ctx, cancel := context.WithCancel(s.ctx)
			_, err = s.store.(storage.Transactor).Transact(ctx, func(ctx context.Context) error {
				_, err := s.store.Update(ctx, x, func(*storage.Record) ([]byte, error) { return object(x, "red", 1), nil })
				cancel()
				return err
			})
			require.ErrorIs(s, err, context.Canceled)
			require.Nil(s, s.get(x))
			require.Equal(s, before, s.store.Revision())
		}},
	{"TransactionJoined", "A transaction inside a transaction joins it. If its function fails, the outer one does not commit.", func(s *subject) {
		x, y := widget("a", "x"), widget("a", "y")
		inner := func(in *subject, result error) error {
			changes, err := in.transact(func(in *subject) error {
				in.put(y, in.get(x).Fields[0], 1)
				return result
			})
			require.Empty(s, changes)
			return err
		}
		changes := s.mustTransact(func(in *subject) error {
			in.put(x, "red", 1)
			return inner(in, nil)
		})
		require.Len(s, changes, 2)
		_, err := s.transact(func(in *subject) error {
			in.put(x, "green", 1)
			require.Equal(s, errRefused, inner(in, errRefused))
			return nil
		})
		require.Equal(s, errRefused, err)
		require.Equal(s, "red", s.get(x).Fields[0])
	}},
	{"TransactionRefuses", "A transaction refuses too many changes, a new object in the place of a deleted one, and watches.", func(s *subject) {
		s.put(widget("a", "x"), "red", 1)
		for name, c := range map[string]struct {
			code int
			call func(ctx context.Context) error
		}{
			"too many": {413, func(ctx context.Context) (err error) {
				for n := 0; n <= storage.MaxTransaction && err == nil; n++ {
					key := widget("b", strconv.Itoa(n))
					_, err = s.store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return object(key, "red", n), nil })
				}
				return err
			}},
			"created anew": {409, func(ctx context.Context) error {
				key := widget("a", "x")
				_, err := s.store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil })
				require.NoError(s, err)
				_, err = s.store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return object(key, "red", 2), nil })
				return err
			}},
			"a watch": {400, func(ctx context.Context) error {
				_, err := s.store.Watch(ctx, watch.Key{Resource: widgets}, s.store.Revision())
				return err
			}},
		} {
			before := s.store.Revision()
			_, err := s.store.(storage.Transactor).Transact(s.ctx, c.call)
			require.ErrorIs(s, err, storage.ErrTransaction, name)
			require.Equal(s, c.code, status.CodeOf(err), name)
			require.Equal(s, before, s.store.Revision(), name)
		}
		most := s.mustTransact(func(in *subject) error {
			for n := range storage.MaxTransaction {
				in.put(widget("b", strconv.Itoa(n)), "red", n)
			}
			return nil
		})
		require.Len(s, most, storage.MaxTransaction)
	}},
	{"TransactionLists", "A list in a transaction shows what the transaction has written, and is a condition of the commit. " +
		"A store that several processes share refuses it.", func(s *subject) {
		for _, name := range []string{"a", "c", "e", "g"} {
			s.put(widget("a", name), "red", 1)
		}
		within := watch.Key{Resource: widgets, Namespace: "a"}
		refused, runs := false, 0
		changes := s.mustTransact(func(in *subject) error {
			runs++
			if _, err := in.store.List(in.ctx, storage.Query{Within: within}, nil); errors.Is(err, storage.ErrTransaction) {
				require.Equal(s, 400, status.CodeOf(err))
				refused = true
				return nil
			}
			in.remove(widget("a", "a"))
			in.put(widget("a", "b"), "red", 1)
			in.put(widget("a", "c"), "green", 1)
			in.put(widget("z", "elsewhere"), "red", 1)
			require.Equal(s, []string{"a/b", "a/c", "a/e", "a/g"}, names(in.list(storage.Query{Within: within}).Records))
			require.Equal(s, []string{"a/b", "a/e", "a/g"},
				names(in.list(storage.Query{Within: within, Terms: []watch.Term{{Index: colors, Value: "red"}}}).Records))
			sorted := storage.Query{Within: within, Limit: 2, Order: []storage.Order{{Index: colors, Descending: true}}}
			require.Equal(s, []string{"a/b", "a/e"}, names(in.list(sorted).Records))
			sorted.After, sorted.AfterValues = widget("a", "e"), []string{"red"}
			require.Equal(s, []string{"a/g", "a/c"}, names(in.list(sorted).Records))
			first := in.list(storage.Query{Within: within, Limit: 3})
			require.Equal(s, []string{"a/b", "a/c", "a/e"}, names(first.Records))
			require.True(s, first.More)
			require.EqualValues(s, 1, first.Remaining)
			require.Zero(s, first.Changed)
			rest := in.list(storage.Query{Within: within, After: first.Records[2].Key, Limit: 3, Revision: first.Revision,
				Exact: true})
			require.Equal(s, []string{"a/g"}, names(rest.Records))
			require.False(s, rest.More)
			if runs == 1 {
				s.put(widget("other", "phantom"), "red", 1)
			}
			return nil
		})
		require.False(s, refused && s.make.Peer == nil, "only replicas refuse lists")
		if !refused {
			require.Equal(s, 2, runs, "another client has created an object of the resource")
			require.Len(s, changes, 4)
		}
	}},
	{"TransactionOfManyGoroutines", "Several goroutines may share a transaction.", func(s *subject) {
		x := widget("a", "x")
		s.mustTransact(func(in *subject) error {
			in.put(x, "red", 0)
			var all sync.WaitGroup
			for n := range 4 {
				all.Go(func() { in.put(widget("a", fmt.Sprint(n)), "red", n) })
			}
			all.Wait()
			return nil
		})
		for n := range 4 {
			require.NotNil(s, s.get(widget("a", fmt.Sprint(n))))
		}
	}},
	{"SerializableTransactions", "A linearizability checker accepts every concurrent history of transactions.",
		serializable},
}

// transact runs a transaction, whose calls fn makes through a subject.
func (s *subject) transact(fn func(in *subject) error) ([]watch.Change[storage.Record], error) {
	return s.store.(storage.Transactor).Transact(s.ctx, func(ctx context.Context) error {
		return fn(&subject{T: s.T, ctx: ctx, make: s.make, store: s.store})
	})
}

func (s *subject) mustTransact(fn func(in *subject) error) []watch.Change[storage.Record] {
	s.Helper()
	changes, err := s.transact(fn)
	require.NoError(s, err)
	return changes
}

// get returns the record of a key, or nil.
func (s *subject) get(key storage.Key) *storage.Record {
	s.Helper()
	r, err := s.store.Get(s.ctx, key, storage.MostRecent)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	require.NoError(s, err)
	return r
}

// isTransactionRule reports whether a rule concerns only stores with transactions.
func isTransactionRule(r rule) bool {
	return slices.ContainsFunc(transactionRules, func(t rule) bool { return t.name == r.name })
}
