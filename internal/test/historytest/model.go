// Package historytest compares the history of objects with a list of versions, over any store. The tests of the stores
// share it.
package historytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Planted is a text in every object, so that a test can search what a store has written for it.
const Planted = "planted-in-every-object"

// kept is how many former versions the kind keeps.
const kept = 3

// Stores makes the stores of one implementation.
type Stores struct {
	// Open opens a store with the objects of the stores before it. Run closes it.
	Open func() storage.Store
	// Crash makes the next Open find what a crash of the program at this moment would leave. Run closes the open store
	// only afterwards. Nil means that another process holds the objects.
	Crash func()
	// Replicas is how many stores are open at once. Default: one.
	Replicas int
}

// version is a version of an object in the model.
type version struct {
	uid, revision string
	size          int64
}

// object is what the model knows about the objects with one name.
type object struct {
	past   []version // the former versions of all objects that had the name
	now    version   // the last version
	exists bool
}

// replace notes that a write has replaced the present state.
func (o *object) replace() {
	o.past = append(o.past, o.now)
	o.past = o.past[max(0, len(o.past)-kept):]
}

// shown returns the versions that clients see, the youngest first.
func (o *object) shown() (all []version) {
	if o.exists {
		all = append(all, o.now)
	}
	for _, v := range slices.Backward(o.past) {
		if v.uid == o.now.uid {
			all = append(all, v)
		}
	}
	return all
}

// wrote notes the state that a write has returned.
func (o *object) wrote(d *apimeta.Document) {
	o.now, o.exists = version{string(d.UID), d.ResourceVersion, sizeOf(d)}, true
}

// program is a process that serves the objects.
type program struct {
	store storage.Store
	api   *rest.API
}

func (p *program) stop(t *testing.T) {
	require.NoError(t, p.api.Close())
	require.NoError(t, p.store.Close())
}

// model is some programs beside a list of versions for each name.
type model struct {
	*testing.T
	stores   Stores
	random   *rand.Rand
	programs []*program
	schema   int64 // the number of the declaration
	objects  map[place]*object
}

// place is the namespace and the name of objects.
type place struct{ namespace, name string }

// declare returns a declaration of the kind. The objects of each declaration have a field that those of the others do
// not have.
func declare(number int64, versions int) rest.Definition {
	r := rest.Resource[apimeta.Document]{
		Group: "example.com", Version: "v1", Plural: "routes", Names: rest.Names{Kind: "Route"},
		History: &rest.History{Versions: versions},
	}
	r.Schema.Status = true
	r.Schema.OpenAPI = fmt.Appendf(nil, `{"type":"object","properties":{"spec":{"type":"object","properties":{
		"size":{"type":"integer"},"note":{"type":"string"},"f%d":{"type":"integer","default":%d}}},
		"status":{"type":"object","properties":{"ready":{"type":"integer"}}}}}`, number, number)
	return r
}

// route returns a new object.
func route(name string, size int64) *apimeta.Document {
	return &apimeta.Document{
		ObjectMeta: apimeta.ObjectMeta{Name: name},
		Content:    map[string]any{"spec": map[string]any{"size": size, "note": Planted}},
	}
}

func routes(t *testing.T, api *rest.API) rest.Client[apimeta.Document] {
	client, err := rest.ClientForResource[apimeta.Document](api,
		apimeta.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "routes"})
	require.NoError(t, err)
	return client
}

func specOf(d *apimeta.Document) map[string]any { return d.Content["spec"].(map[string]any) }

func sizeOf(d *apimeta.Document) int64 { return specOf(d)["size"].(int64) }

// Run takes a number of random steps, and compares the history of each object that a step concerns with the versions
// that its writes have returned.
func Run(t *testing.T, stores Stores, steps int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &model{T: t, stores: stores, random: rand.New(rand.NewPCG(seed, 0)), objects: map[place]*object{}}
	for range max(1, stores.Replicas) {
		m.programs = append(m.programs, m.start())
	}
	for range steps {
		m.step()
	}
	m.compareAll()
	_, err := m.routes("last").Create(t.Context(), route("last", 1)) // then the store has an object with Planted at the end
	require.NoError(t, err)
	for _, p := range m.programs {
		p.stop(t)
	}
}

func (m *model) start() *program {
	store := m.stores.Open()
	api, err := rest.New(rest.Options{Store: store}, declare(m.schema, kept))
	require.NoError(m, err)
	return &program{store, api}
}

// routes returns the client of one of the programs.
func (m *model) routes(namespace string) rest.Client[apimeta.Document] {
	return routes(m.T, m.programs[m.random.IntN(len(m.programs))].api).Namespace(namespace)
}

// step does something at random.
func (m *model) step() {
	switch action := m.random.IntN(40); action {
	case 0:
		m.restart()
	case 1:
		m.crash()
	case 2:
		m.changeSchema()
	case 3:
		m.deleteNamespace()
	default:
		at := place{fmt.Sprint("n", m.random.IntN(2)), fmt.Sprint("r", m.random.IntN(3))}
		if m.objects[at] == nil {
			m.objects[at] = &object{}
		}
		m.write(at, m.objects[at])
		m.compare(at, m.objects[at])
	}
}

// write writes an object at random.
func (m *model) write(at place, o *object) {
	ctx, client := m.Context(), m.routes(at.namespace)
	switch action := m.random.IntN(20); {
	case action < 2:
		if err := rest.HistoryOf(client).Purge(ctx, at.name); !status.IsNotFound(err) {
			require.NoError(m, err)
		}
		o.past = nil
	case action < 6:
		m.undo(client, at.name, o)
	case !o.exists:
		made, err := client.Create(ctx, route(at.name, m.random.Int64N(3)))
		require.NoError(m, err)
		o.wrote(made)
	case action < 8:
		require.NoError(m, client.Delete(ctx, at.name, rest.DeleteOptions{}))
		o.replace()
		o.exists = false
	case action < 11:
		now, err := client.ModifyStatus(ctx, at.name, func(d *apimeta.Document) error {
			d.Content["status"] = map[string]any{"ready": m.random.Int64N(100)}
			return nil
		})
		require.NoError(m, err)
		o.wrote(now)
	default:
		now, err := client.Modify(ctx, at.name, func(d *apimeta.Document) error {
			specOf(d)["size"] = m.random.Int64N(3)
			return nil
		})
		require.NoError(m, err)
		if sizeOf(now) != o.now.size {
			o.replace()
		}
		o.wrote(now)
	}
}

// undo goes back to a version at random, first as a dry run.
func (m *model) undo(client rest.Client[apimeta.Document], name string, o *object) {
	known := o.shown()
	if len(known) == 0 {
		_, err := rest.HistoryOf(client).Undo(m.Context(), name, "", rest.UndoOptions{})
		require.True(m, status.IsNotFound(err), err)
		return
	}
	to := known[m.random.IntN(len(known))]
	for _, c := range []rest.Client[apimeta.Document]{client.DryRun(), client} {
		now, err := rest.HistoryOf(c).Undo(m.Context(), name, to.revision, rest.UndoOptions{})
		require.NoError(m, err)
		require.Equal(m, to.size, sizeOf(now))
		if c == client {
			if o.exists && to.size != o.now.size {
				o.replace()
			}
			o.wrote(now)
		}
	}
}

// compare compares the history of a name with the model.
func (m *model) compare(at place, o *object) {
	want, client := o.shown(), m.routes(at.namespace)
	list, err := rest.HistoryOf(client).List(m.Context(), at.name)
	if len(want) == 0 {
		require.True(m, status.IsNotFound(err), err)
		return
	}
	require.NoError(m, err)
	var got []version
	for _, v := range list.Items {
		d, err := rest.HistoryOf(client).At(m.Context(), at.name, v.ResourceVersion)
		require.NoError(m, err)
		require.Equal(m, map[string]any{"size": sizeOf(d), "note": Planted, fmt.Sprint("f", m.schema): m.schema}, specOf(d))
		got = append(got, version{string(v.UID), v.ResourceVersion, sizeOf(d)})
	}
	require.Equal(m, want, got)
	require.Equal(m, o.exists, list.Deleted == nil)
}

func (m *model) compareAll() {
	for at, o := range m.objects {
		m.compare(at, o)
	}
}

// restart stops one of the programs in order, and starts it again.
func (m *model) restart() {
	i := m.random.IntN(len(m.programs))
	m.programs[i].stop(m.T)
	m.programs[i] = m.start()
	m.compareAll()
}

// crash starts one of the programs again with what a crash leaves.
func (m *model) crash() {
	i := m.random.IntN(len(m.programs))
	old := m.programs[i]
	if m.stores.Crash == nil {
		m.programs[i] = m.start()
		old.stop(m.T)
	} else {
		m.stores.Crash()
		old.stop(m.T)
		m.programs[i] = m.start()
	}
	m.compareAll()
}

// changeSchema gives all programs another declaration of the kind.
func (m *model) changeSchema() {
	m.schema++
	for _, p := range m.programs {
		require.NoError(m, p.api.ReplaceResources(m.Context(), declare(m.schema, kept)))
	}
	m.compareAll()
}

// deleteNamespace does what the end of a namespace does.
func (m *model) deleteNamespace() {
	namespace := fmt.Sprint("n", m.random.IntN(2))
	for at, o := range m.objects {
		if at.namespace == namespace && o.exists {
			require.NoError(m, m.routes(namespace).Delete(m.Context(), at.name, rest.DeleteOptions{}))
		}
	}
	api := m.programs[m.random.IntN(len(m.programs))].api
	require.NoError(m, api.Objects().PurgeHistory(m.Context(), namespace))
	for at, o := range m.objects {
		if at.namespace == namespace {
			o.past, o.exists = nil, false
			m.compare(at, o)
		}
	}
}
