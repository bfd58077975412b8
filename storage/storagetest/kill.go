package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const workers = 4

// Work writes groups of two objects to an empty store, from several goroutines, until a write fails. Half of the
// goroutines do so in transactions, if the store is a [storage.Transactor]. For each acknowledged group it writes a
// line to out. [Subject.Kill] runs it in a process that dies.
func Work(ctx context.Context, store storage.Store, out io.Writer) error {
	for _, resource := range (&subject{}).resources() {
		if err := store.Register(ctx, resource); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	var errs [workers]error
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := 1; errs[w] == nil; n++ {
				var records []*storage.Record
				keys := pair(w)
				texts := [][]byte{object(keys[0], fmt.Sprint(n), n), object(keys[1], fmt.Sprint(n), n)}
				if transactor, can := store.(storage.Transactor); can && w%2 == 1 {
					records, errs[w] = transactAll(ctx, store, transactor, keys, texts)
				} else {
					records, errs[w] = store.UpdateAll(ctx, keys, func([]*storage.Record) ([][]byte, error) { return texts, nil })
				}
				if errs[w] == nil {
					mu.Lock()
					_, errs[w] = fmt.Fprintln(out, w, n, records[0].Revision, records[1].Revision)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// transactAll writes objects in a transaction, one after the other, and returns their records.
func transactAll(
	ctx context.Context, store storage.Store, transactor storage.Transactor, keys []storage.Key, texts [][]byte,
) (records []*storage.Record, err error) {
	changes, err := transactor.Transact(ctx, func(ctx context.Context) (err error) {
		for i := 0; i < len(keys) && err == nil; i++ {
			_, err = store.Update(ctx, keys[i], func(*storage.Record) ([]byte, error) { return texts[i], nil })
		}
		return err
	})
	for _, c := range changes {
		records = append(records, c.Current)
	}
	return records, err
}

func pair(worker int) []storage.Key {
	return []storage.Key{widget("a", fmt.Sprint(worker)), {Resource: nodes, Name: fmt.Sprint(worker)}}
}

var killRules = []rule{
	{"Killed", "What was acknowledged survives the death of the process; what was not is wholly there or wholly absent.",
		func(s *subject) {
			for n := range 8 {
				written, left := s.make.Kill(s.T, n)
				s.checkLeft(written, left)
			}
		}},
}

// checkLeft compares the objects in a store with the lines that Work has written.
func (s *subject) checkLeft(written []byte, left storage.Store) {
	killed := &subject{T: s.T, ctx: s.ctx, make: s.make, store: left}
	killed.register()
	var acknowledged [workers]struct {
		n         int
		revisions [2]watch.Revision
	}
	for line := range bytes.Lines(written) {
		var w, n int
		var first, second watch.Revision
		if !bytes.HasSuffix(line, []byte("\n")) {
			continue // the process died while it wrote the line
		}
		_, err := fmt.Sscan(string(line), &w, &n, &first, &second)
		require.NoError(s, err, "%q", line)
		acknowledged[w].n, acknowledged[w].revisions = n, [2]watch.Revision{first, second}
	}
	for w, last := range acknowledged {
		values := [2]string{"0", "0"}
		for i, key := range pair(w) {
			r, err := left.Get(s.ctx, key, storage.MostRecent)
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			require.NoError(s, err)
			values[i] = r.Fields[0]
			if values[i] == fmt.Sprint(last.n) {
				require.Equal(s, last.revisions[i], r.Revision)
			}
			require.Less(s, r.Revision, left.Revision()+1)
		}
		require.Equal(s, values[0], values[1], "no group is half there")
		require.Contains(s, []string{fmt.Sprint(last.n), fmt.Sprint(last.n + 1)}, values[0], "worker %d", w)
		require.LessOrEqual(s, last.revisions[1], left.Revision())
	}
	revision := left.Revision()
	require.Greater(s, killed.put(widget("a", "later"), "red", 1).Revision, revision)
	killed.checkInvariants()
	require.NoError(s, left.Close())
}
