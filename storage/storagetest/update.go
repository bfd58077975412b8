package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var errRefused = errors.New("refused")

var updateRules = []rule{
	{"EndedWhileWriting", "A write whose context ends while its function runs changes nothing.", func(s *subject) {
		key := widget("a", "x")
		before := s.put(key, "red", 1)
		ctx, cancel := context.WithCancel(s.ctx)
		_, err := s.store.Update(ctx, key, func(*storage.Record) ([]byte, error) {
			cancel()
			return nil, nil
		})
		require.ErrorIs(s, err, context.Canceled)
		ctx, cancel = context.WithCancel(s.ctx)
		_, err = s.store.UpdateAll(ctx, []storage.Key{key}, func([]*storage.Record) ([][]byte, error) {
			cancel()
			return [][]byte{nil}, nil
		})
		require.ErrorIs(s, err, context.Canceled)
		got, err := s.store.Get(s.ctx, key, before.Revision)
		require.NoError(s, err)
		s.requireSame(before, got)
	}},
	{"CreateReadReplaceDelete", "An object has the state that the last write gave it.", func(s *subject) {
		key := widget("a", "x")
		_, err := s.store.Get(s.ctx, key, 0)
		require.ErrorIs(s, err, storage.ErrNotFound)

		created := s.put(key, "red", 1)
		require.Equal(s, key, created.Key)
		require.Equal(s, []string{"red", "x", "1"}, created.Fields)
		require.Equal(s, "uid-a-x", created.UID)
		got, err := s.store.Get(s.ctx, key, created.Revision)
		require.NoError(s, err)
		s.requireSame(created, got)

		replaced := s.put(key, "green", 2)
		require.Contains(s, string(Text(created)), `"n":1`, "a record never changes")
		require.Contains(s, string(Text(replaced)), `"n":2`)

		deleted := s.remove(key)
		require.Greater(s, deleted.Revision, replaced.Revision)
		s.checkRecord(deleted, s.resources()[0].Extract)
		require.Equal(s, string(TextAt(replaced, deleted.Revision)), string(Text(deleted)),
			"the last state at the revision of the deletion")
		_, err = s.store.Get(s.ctx, key, 0)
		require.ErrorIs(s, err, storage.ErrNotFound)
		_, err = s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil })
		require.ErrorIs(s, err, storage.ErrNotFound, "there is nothing to delete")
		require.Equal(s, deleted.Revision, s.store.Revision())
	}},
	{"Written", "A record has the time of the commit that made it, which a no-op, a failed write and a deletion leave unchanged.", func(s *subject) {
		const slack = time.Second // durable and replicated stores may read another clock
		key, other := widget("a", "x"), widget("a", "y")
		from := time.Now()
		created := s.put(key, "red", 1)
		require.WithinRange(s, created.Written.Time(), from.Add(-slack), time.Now().Add(slack))
		for storage.MomentOf(time.Now()) <= created.Written { // so that a later write has a later time
			runtime.Gosched()
		}
		unchanged, err := s.store.Update(s.ctx, key,
			func(current *storage.Record) ([]byte, error) { return Text(current), nil })
		require.NoError(s, err)
		require.Equal(s, created.Written, unchanged.Written)
		_, err = s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return nil, errRefused })
		require.ErrorIs(s, err, errRefused)
		got, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		require.Equal(s, created.Written, got.Written)

		replaced := s.put(key, "green", 2)
		require.Greater(s, replaced.Written, created.Written)
		require.Equal(s, replaced.Written, s.remove(key).Written)
		group, err := s.store.UpdateAll(s.ctx, []storage.Key{key, other}, func([]*storage.Record) ([][]byte, error) {
			return [][]byte{object(key, "red", 1), object(other, "red", 1)}, nil
		})
		require.NoError(s, err)
		require.Equal(s, group[0].Written, group[1].Written, "a group has one time")
	}},
	{"FailedPrecondition", "An error of the update function is returned unchanged and changes nothing.", func(s *subject) {
		s.put(widget("a", "x"), "red", 1)
		before := s.store.Revision()
		for _, name := range []string{"x", "none"} {
			_, err := s.store.Update(s.ctx, widget("a", name), func(*storage.Record) ([]byte, error) { return nil, errRefused })
			require.True(s, err == errRefused, "%v", err)
		}
		keys := []storage.Key{widget("a", "x"), widget("a", "y")}
		_, err := s.store.UpdateAll(s.ctx, keys, func([]*storage.Record) ([][]byte, error) { return nil, errRefused })
		require.True(s, err == errRefused, "%v", err)
		require.Equal(s, before, s.store.Revision())
		require.Len(s, s.list(storage.Query{Within: watch.Key{Resource: widgets}}).Records, 1)
	}},
	{"BadObject", "A text that the store cannot extract or stamp with a revision changes nothing.", func(s *subject) {
		key := widget("a", "x")
		s.put(key, "red", 1)
		before := s.store.Revision()
		for _, bad := range []string{
			"", "null", "[]", "{", "{}", `{"metadata":{}}`, `{"metadata":null}`, `{"metadata":{"resourceVersion":1}}`,
			`{"metadata":{"resourceVersion":null}}`,
			`{"metadata":{"resourceVersion":"1"}`, `{"metadata":{"resourceVersion":"1"}}}`,
			`{"metadata":{"resourceVersion":"1","labels":[]}}`,
			`{"metadata":{"resourceVersion":"1","uid":1}}`, `{"metadata":{"resourceVersion":"1}}`,
		} {
			_, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return []byte(bad), nil })
			require.ErrorIs(s, err, storage.ErrJSON, bad)
			_, err = s.store.UpdateAll(s.ctx, []storage.Key{widget("a", "y"), key}, func([]*storage.Record) ([][]byte, error) {
				return [][]byte{object(widget("a", "y"), "red", 1), []byte(bad)}, nil
			})
			require.ErrorIs(s, err, storage.ErrJSON, bad)
		}
		require.Equal(s, before, s.store.Revision())
	}},
	{"NoOp", "A no-op update makes no revision and no event.", func(s *subject) {
		key := widget("a", "x")
		current := s.put(key, "red", 1)
		cursor := s.watch(key, current.Revision)
		for name, fn := range map[string]storage.UpdateFunc{
			"the same bytes":     func(r *storage.Record) ([]byte, error) { return Text(r), nil },
			"a copy":             func(r *storage.Record) ([]byte, error) { return bytes.Clone(Text(r)), nil },
			"another revision":   func(r *storage.Record) ([]byte, error) { return TextAt(r, r.Revision+12345), nil },
			"no revision at all": func(*storage.Record) ([]byte, error) { return object(key, "red", 1), nil },
		} {
			got, err := s.store.Update(s.ctx, key, fn)
			require.NoError(s, err, name)
			s.requireSame(current, got, name)
		}
		records, err := s.store.UpdateAll(s.ctx, []storage.Key{key, widget("a", "none")},
			func(current []*storage.Record) ([][]byte, error) {
				return [][]byte{Text(current[0]), nil}, nil
			})
		require.NoError(s, err)
		s.requireSame([]*storage.Record{current, nil}, records)
		require.Equal(s, current.Revision, s.store.Revision())
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Empty(s, changes)
	}},
	{"Unchanged", "An object that a group leaves unchanged must not change before the group is committed.",
		func(s *subject) {
			guard, key := widget("a", "guard"), widget("a", "x")
			for name, interfere := range map[string]func(){
				"changed": func() { s.put(guard, "blue", 1) },
				"deleted": func() { s.remove(guard) },
			} {
				s.put(guard, "red", 1)
				before, ran := "", 0
				_, err := s.store.UpdateAll(s.ctx, []storage.Key{key, guard}, func(current []*storage.Record) ([][]byte, error) {
					if ran++; ran == 1 {
						before = string(Text(current[1]))
						interfere()
						return [][]byte{object(key, "red", 1), Text(current[1])}, nil
					}
					require.True(s, current[1] == nil || string(Text(current[1])) != before, name)
					return nil, errRefused
				})
				require.True(s, err == errRefused, "%s: %v", name, err)
				require.Equal(s, 2, ran, name)
				_, err = s.store.Get(s.ctx, key, 0)
				require.ErrorIs(s, err, storage.ErrNotFound, name)
			}
		}},
	{"Width", "The JSON carries the record's revision, even if that has more digits than the text that the function returned.", func(s *subject) {
		key := widget("a", "x")
		extract := s.resources()[0].Extract
		for n := range 1010 {
			r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
				next := object(key, "red", n)
				if current != nil && n%2 == 0 { // as a handler that edits the text it read
					text := string(Text(current))
					next = []byte(text[:len(text)-1] + `,"more":` + strconv.Itoa(n) + "}")
				}
				return next, nil
			})
			require.NoError(s, err)
			s.checkRecord(r, extract)
		}
		last, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		require.Greater(s, s.remove(key).Revision, last.Revision)
	}},
	{"FunctionCallsStore", "The update function runs outside every lock and may call the store.", func(s *subject) {
		key, other := widget("a", "x"), widget("a", "y")
		runs := 0
		r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
			runs++
			s.put(other, "red", runs)
			_, err := s.store.Get(s.ctx, other, s.store.Revision())
			require.NoError(s, err)
			s.list(storage.Query{Within: watch.Key{Resource: widgets}})
			s.watch(key, s.store.Revision()).Close()
			return object(key, "red", runs), nil
		})
		require.NoError(s, err)
		require.Equal(s, 1, runs, "a write of another object does not interfere")
		require.Equal(s, r.Revision, s.store.Revision())
	}},
	{"RunAgain", "If the object changed meanwhile, the function runs again with the new record.", func(s *subject) {
		absent := func(storage.Key) {}
		present := func(key storage.Key) { s.put(key, "red", 1) }
		for _, c := range []struct {
			name              string
			before, meanwhile func(storage.Key)
			want              []string // the colors that the function saw
		}{
			{"created", absent, present, []string{"", "red"}},
			{"changed", present, func(key storage.Key) { s.put(key, "green", 2) }, []string{"red", "green"}},
			{"deleted", present, func(key storage.Key) { s.remove(key) }, []string{"red", ""}},
			{"replaced-by-its-like", present, func(key storage.Key) { s.remove(key); s.put(key, "red", 1) },
				[]string{"red", "red"}},
			{"untouched", present, absent, []string{"red"}},
		} {
			key := widget("a", c.name)
			c.before(key)
			var seen []string
			_, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
				color := ""
				if current != nil {
					color = current.Fields[0]
				}
				if seen = append(seen, color); len(seen) == 1 {
					c.meanwhile(key)
				}
				return object(key, "blue", 3), nil
			})
			require.NoError(s, err, c.name)
			require.Equal(s, c.want, seen, c.name)
		}
	}},
	{"Attempts", "If the object changes during each run of the function, Update fails with ErrContended after MaxAttempts runs.", func(s *subject) {
		key, other := widget("a", "x"), widget("a", "other")
		runs := 0
		var last watch.Revision
		interfere := func() {
			runs++
			last = s.put(key, fmt.Sprint("interference ", runs), runs).Revision
		}
		for name, update := range map[string]func() error{
			"Update": func() error {
				_, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) {
					interfere()
					return object(key, "lost", 0), nil
				})
				return err
			},
			"UpdateAll": func() error {
				_, err := s.store.UpdateAll(s.ctx, []storage.Key{other, key}, func(current []*storage.Record) ([][]byte, error) {
					interfere()
					return [][]byte{object(other, "lost", 0), Text(current[1])}, nil
				})
				return err
			},
		} {
			s.put(key, "red", 0)
			runs = 0
			require.ErrorIs(s, update(), storage.ErrContended, name)
			require.Equal(s, storage.MaxAttempts, runs, name)
			require.Equal(s, last, s.store.Revision(), "%s: only the interfering writes are committed", name)
			_, err := s.store.Get(s.ctx, other, 0)
			require.ErrorIs(s, err, storage.ErrNotFound, name)
		}
	}},
	{"AttemptsEnd", "The function does not run again after the context has ended.", func(s *subject) {
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		runs := 0
		_, err := s.store.Update(ctx, widget("a", "x"), func(*storage.Record) ([]byte, error) {
			if runs++; runs == storage.MaxAttempts/2 {
				cancel()
			}
			s.put(widget("a", "x"), "red", runs)
			return object(widget("a", "x"), "lost", 0), nil
		})
		require.ErrorIs(s, err, context.Canceled)
		require.Equal(s, storage.MaxAttempts/2, runs)
	}},
	{"NoLostUpdate", "Concurrent updates of one object each see the result of the previous one.", func(s *subject) {
		const writers, rounds = 8, 50
		key := widget("a", "counter")
		s.put(key, "0", 0)
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range rounds {
					_, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
						n, err := strconv.Atoi(current.Fields[0])
						return object(key, fmt.Sprint(n+1), n+1), err
					})
					assert.NoError(s, err)
				}
			})
		}
		all.Wait()
		r, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		require.Equal(s, fmt.Sprint(writers*rounds), r.Fields[0])
	}},
	{"Isolation", "No key reaches another resource, namespace or name.", func(s *subject) {
		var keys []storage.Key
		for _, namespace := range []string{"a", "a-b", "aa", "b"} {
			for _, name := range []string{"a", "a-b", "aa", "b-c"} {
				keys = append(keys, widget(namespace, name), storage.Key{Resource: longer, Namespace: namespace, Name: name})
			}
		}
		keys = append(keys, storage.Key{Resource: nodes, Name: "a"}, storage.Key{Resource: nodes, Name: "aa"})
		for i, key := range keys {
			s.put(key, fmt.Sprint(i), i)
		}
		for i, key := range keys {
			page := s.list(storage.Query{Within: key})
			require.Len(s, page.Records, 1)
			require.Equal(s, fmt.Sprint(i), page.Records[0].Fields[0])
		}
		page := s.list(storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a"}})
		require.Equal(s, []string{"a/a", "a/a-b", "a/aa", "a/b-c"}, names(page.Records))
		require.Len(s, s.list(storage.Query{Within: watch.Key{Resource: widgets}}).Records, 16)
		require.Len(s, s.list(storage.Query{Within: watch.Key{Resource: nodes}}).Records, 2)
		before := s.store.Revision()
		cursor := s.watch(watch.Key{Resource: widgets, Namespace: "a"}, before)
		for _, key := range keys {
			s.remove(key)
		}
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 4)
		for _, c := range changes {
			require.Equal(s, widgets+" a", c.Key.Resource+" "+c.Key.Namespace)
		}
	}},
}
