package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/watch"
)

// number reads a number from the environment.
func number(t *testing.T, name string, usual uint64) uint64 {
	if text := os.Getenv(name); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, name)
		return n
	}
	return usual
}

// The test kills a writing process at random instants. Afterwards, the file contains all writes that the process had
// reported. It may also contain writes that the process had begun, but nothing else.
func TestCrash(t *testing.T) {
	kills, seed := number(t, "DECORUM_TORTURE", 20), number(t, "DECORUM_TORTURE_SEED", rand.Uint64())
	t.Logf("%d kills, DECORUM_TORTURE_SEED=%d", kills, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "objects.db")
	m := newModel()
	acks, resume := 0, watch.Revision(0)
	for n := range kills {
		lines := 1 + random.IntN(600)
		if random.IntN(5) == 0 {
			lines = 1 + random.IntN(5) // the process opens the file
		}
		tight := ""
		if random.IntN(4) == 0 {
			tight, resume = "yes", 0
		}
		r := startChild(t, lines, childPath+"="+path, fmt.Sprint(childRun, "=", n), fmt.Sprint(childAfter, "=", resume),
			childTight+"="+tight)
		r.tight = tight != ""
		require.NoError(t, m.add(r))
		acks += r.acks
		for _, w := range r.watchers["0"] {
			if resume = w.after; len(w.seen) > 0 {
				resume = w.seen[len(w.seen)-1].revision
			}
		}
		if random.IntN(4) == 0 && n < kills-1 { // the next process opens what this one has left
			if r.tight { // the file may have dropped the history that the watcher had not seen
				resume = 0
			}
			continue
		}
		if _, err := os.Stat(path); os.IsNotExist(err) {
			require.Zero(t, m.last)
			continue
		}
		require.NoError(t, m.check(read(t, path, m, random.IntN(2) == 0)), "kill %d", n)
		if resume < m.floor {
			resume = 0
		}
	}
	t.Logf("%d writes were acknowledged, %d were committed but not acknowledged", acks, m.survived)
}

// read opens the file after the end of a process, and returns its content.
func read(t *testing.T, path string, m *model, readOnly bool) *found {
	opts := options(path)
	opts.ReadOnly = readOnly
	store, err := bolt.Open(t.Context(), opts)
	require.NoError(t, err)
	require.NoError(t, store.Check(t.Context()))
	require.NoError(t, register(t.Context(), store))
	f := readStore(t, store, m)
	require.NoError(t, store.Close())
	return f
}

// readStore lists the objects of a store, and resumes a watch at the base of the model.
func readStore(t *testing.T, store storage.Store, m *model) *found {
	f := &found{revision: store.Revision(), objects: map[string]event{}}
	for _, resource := range resources() {
		page, err := store.List(t.Context(), storage.Query{Within: watch.Key{Resource: resource.Name}}, nil)
		require.NoError(t, err)
		require.Equal(t, f.revision, page.Revision)
		for _, r := range page.Records {
			f.objects[keyText(r.Key)] = event{r.Revision, keyText(r.Key), writeOf(r)}
		}
	}
	cursor, err := store.Watch(t.Context(), watch.Key{}, max(m.base, watch.Revision(1)))
	if status.IsExpired(err) && m.mayBeCut() {
		f.cut = true
		return f
	}
	require.NoError(t, err)
	defer cursor.Close()
	for {
		changes, err := cursor.Poll(nil)
		require.NoError(t, err)
		for _, c := range changes {
			f.history = append(f.history, eventOf(c))
		}
		if len(changes) == 0 {
			return f
		}
	}
}

// mayBeCut reports whether the history after the base may have been dropped.
func (m *model) mayBeCut() bool {
	for _, r := range m.runs {
		if r.tight {
			return true
		}
	}
	return m.base == 0
}
