package history_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// keptInModel is how many versions the kind of the model test keeps.
const keptInModel = 3

// modelVersion is a former version of an object in the model.
type modelVersion struct {
	uid, revision string
	size          int32
}

// modelName is what the model knows about the objects with one name.
type modelName struct {
	past   []modelVersion
	now    modelVersion
	exists bool
}

// replace notes that a write has replaced the present state.
func (m *modelName) replace() {
	m.past = append(m.past, m.now)
	m.past = m.past[max(0, len(m.past)-keptInModel):]
}

// shown returns the versions that clients see, the youngest first.
func (m *modelName) shown() (all []modelVersion) {
	uid := m.now.uid
	if m.exists {
		all = append(all, m.now)
	}
	for i := len(m.past) - 1; i >= 0; i-- {
		if m.past[i].uid == uid {
			all = append(all, m.past[i])
		}
	}
	return all
}

// model is a program beside a list of versions for each name.
type model struct {
	*testing.T
	random *rand.Rand
	open   func(crashed bool) storage.Store
	api    *rest.API
	names  map[string]*modelName
}

func (m *model) start(crashed bool) {
	var err error
	m.api, err = rest.New(rest.Options{Store: m.open(crashed)}, keeping(rest.History{Versions: keptInModel}))
	require.NoError(m, err)
}

func (m *model) client() rest.Client[apitest.Widget] { return apitest.WidgetClient(m, m.api) }

// wrote notes the state that a write has returned.
func (n *modelName) wrote(w *apitest.Widget) {
	n.now, n.exists = modelVersion{string(w.UID), w.ResourceVersion, *w.Spec.Size}, true
}

// step does something at random, and compares the history of its name.
func (m *model) step() {
	name := fmt.Sprint("w", m.random.IntN(3))
	n := m.names[name]
	if n == nil {
		n = &modelName{}
		m.names[name] = n
	}
	ctx, client := m.Context(), m.client()
	switch action := m.random.IntN(20); {
	case action == 0:
		m.restart(false)
	case action == 1:
		m.restart(true)
	case action == 2:
		if err := client.PurgeHistory(ctx, name); !status.IsNotFound(err) {
			require.NoError(m, err)
		}
		n.past = nil
	case action < 6:
		m.undo(name, n)
	case !n.exists:
		w, err := client.Create(ctx, apitest.NewWidget(name, m.random.Int32N(3)+1))
		require.NoError(m, err)
		n.wrote(w)
	case action < 9:
		require.NoError(m, client.Delete(ctx, name, rest.DeleteOptions{}))
		n.replace()
		n.exists = false
	case action < 12:
		w, err := client.ModifyStatus(ctx, name, func(w *apitest.Widget) error {
			replicas := m.random.Int32N(100)
			w.Status.Replicas = &replicas
			return nil
		})
		require.NoError(m, err)
		n.wrote(w)
	default:
		w, err := client.Modify(ctx, name,
			func(w *apitest.Widget) error { *w.Spec.Size = m.random.Int32N(3) + 1; return nil })
		require.NoError(m, err)
		if *w.Spec.Size != n.now.size {
			n.replace()
		}
		n.wrote(w)
	}
	m.compare(name, n)
}

// undo goes back to a version at random.
func (m *model) undo(name string, n *modelName) {
	known := n.shown()
	if len(known) == 0 {
		_, err := m.client().Undo(m.Context(), name, "", rest.UndoOptions{})
		require.True(m, status.IsNotFound(err), err)
		return
	}
	to := known[m.random.IntN(len(known))]
	w, err := m.client().Undo(m.Context(), name, to.revision, rest.UndoOptions{})
	require.NoError(m, err)
	require.Equal(m, to.size, *w.Spec.Size)
	if n.exists && to.size != n.now.size {
		n.replace()
	}
	n.wrote(w)
}

// compare compares the history of a name with the model.
func (m *model) compare(name string, n *modelName) {
	want := n.shown()
	list, err := m.client().History(m.Context(), name)
	if len(want) == 0 {
		require.True(m, status.IsNotFound(err), err)
		return
	}
	require.NoError(m, err)
	var got []modelVersion
	for _, v := range list.Items {
		w, err := m.client().AtRevision(m.Context(), name, v.ResourceVersion)
		require.NoError(m, err)
		got = append(got, modelVersion{string(v.UID), v.ResourceVersion, *w.Spec.Size})
	}
	require.Equal(m, want, got)
	require.Equal(m, n.exists, list.Deleted == nil)
}

// restart ends the program, in order or by a crash, and starts it again.
func (m *model) restart(crashed bool) {
	if crashed {
		old := m.api
		m.start(true)
		require.NoError(m, old.Close())
	} else {
		require.NoError(m, m.api.Close())
		m.start(false)
	}
	for name, n := range m.names {
		m.compare(name, n)
	}
}

// Whatever clients do, and however the program ends, the history of each object is the list of its versions.
func TestModel(t *testing.T) {
	stores := map[string]func(t *testing.T) func(crashed bool) storage.Store{
		"memory": func(t *testing.T) func(bool) storage.Store {
			store := apitest.CloseAtEnd(t, storage.NewMemory(storage.Options{}))
			return func(bool) storage.Store { return store }
		},
		"bolt": func(t *testing.T) func(bool) storage.Store {
			dir, n := t.TempDir(), 0
			var store *bolt.Store
			path := func() string { return filepath.Join(dir, fmt.Sprint(n)) }
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			// After a crash the program finds the file as it was when the last write was acknowledged.
			return func(crashed bool) storage.Store {
				old := store
				if crashed {
					left, err := os.ReadFile(path())
					require.NoError(t, err)
					n++
					require.NoError(t, os.WriteFile(path(), left, 0o600))
				}
				if old != nil {
					require.NoError(t, old.Close())
				}
				var err error
				store, err = bolt.Open(t.Context(), bolt.Options{Path: path()})
				require.NoError(t, err)
				return store
			}
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			m := &model{T: t, random: rand.New(rand.NewPCG(seed, 0)), open: open(t), names: map[string]*modelName{}}
			m.start(false)
			for range 300 {
				m.step()
			}
			require.NoError(t, m.api.Close())
		})
	}
}
