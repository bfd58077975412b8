package controller_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// diary is a handler that records its calls.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// read waits until the bubble is idle, and returns the records since the last read.
func (d *diary) read() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *diary) handler() controller.Handler[Gear] {
	return controller.Handler[Gear]{
		OnAdd:    func(g *Gear) { d.write("add %s %d", g.Name, g.Spec.Teeth) },
		OnUpdate: func(old, g *Gear) { d.write("update %s %d->%d", g.Name, old.Spec.Teeth, g.Spec.Teeth) },
		OnDelete: func(g *Gear) { d.write("delete %s %d", g.Name, g.Spec.Teeth) },
		OnSynced: func() { d.write("synced") },
	}
}

func TestInformer(t *testing.T) { overBoth(t, testInformer) }

func testInformer(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("b", 2))
		w.create(gear("a", 1))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var first diary
		informer.AddHandler(first.handler())
		assert.Empty(t, informer.List())
		assert.False(t, informer.HasSynced())

		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		assert.Equal(t, []string{"add a 1", "add b 2", "synced"}, first.read())
		assert.True(t, informer.HasSynced())
		assert.Equal(t, []string{"a", "b"}, names(informer.List()))

		w.modify("a", func(g *Gear) { g.Spec.Teeth = 10 })
		w.create(gear("c", 3))
		w.modify("c", func(*Gear) {}) // changes nothing
		w.delete("b")
		assert.Equal(t, []string{"update a 1->10", "add c 3", "delete b 2"}, first.read())
		assert.Equal(t, []string{"a", "c"}, names(informer.List()))
		got, ok := informer.Get("default", "a")
		require.True(t, ok)
		assert.Equal(t, int32(10), got.Spec.Teeth)
		_, ok = informer.Get("default", "b")
		assert.False(t, ok)
		_, ok = informer.Get("", "a")
		assert.False(t, ok)

		var gone *Gear
		informer.AddHandler(controller.Handler[Gear]{OnDelete: func(g *Gear) { gone = g }})
		var late diary
		remove := informer.AddHandler(late.handler())
		assert.Equal(t, []string{"add a 10", "add c 3", "synced"}, late.read())
		w.delete("c")
		assert.Equal(t, []string{"delete c 3"}, late.read())
		assert.Equal(t, fmt.Sprint(w.revision()), gone.ResourceVersion, "the version of the deletion")
		remove()
		w.delete("a")
		assert.Empty(t, late.read())
		assert.Equal(t, []string{"delete c 3", "delete a 10"}, first.read())
		assert.Empty(t, informer.List())
	})
}

// A handler may leave functions nil.
func TestHandlersMayLackFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		informer.AddHandler(controller.Handler[Gear]{})
		var gone diary
		informer.AddHandler(controller.Handler[Gear]{OnDelete: gone.handler().OnDelete})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 2 })
		w.delete("a")
		assert.Equal(t, []string{"delete a 2"}, gone.read())
	})
}

// An object that begins or ceases to match the selectors is added or deleted.
func TestInformerWithSelectors(t *testing.T) { overBoth(t, testInformerWithSelectors) }

func testInformerWithSelectors(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	tests := []struct {
		name    string
		options controller.InformerOptions[Gear]
	}{
		{"labels", controller.InformerOptions[Gear]{LabelSelector: "side=left"}},
		{"fields", controller.InformerOptions[Gear]{FieldSelector: "spec.color=red"}},
		{"both", controller.InformerOptions[Gear]{LabelSelector: "side", FieldSelector: "spec.color=red"}},
	}
	in := func(g *Gear) { g.Labels, g.Spec.Color = map[string]string{"side": "left"}, "red" }
	out := func(g *Gear) { g.Labels, g.Spec.Color = nil, "blue" }
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkshop(t)
				w.create(gear("a", 1))
				w.create(gear("b", 2))
				w.modify("a", in)
				informer := gearInformer(w, tt.options)
				var d diary
				informer.AddHandler(d.handler())
				run(t, informer)
				assert.Equal(t, []string{"add a 1", "synced"}, d.read())
				w.modify("b", in)
				w.modify("a", func(g *Gear) { out(g); g.Spec.Teeth = 7 })
				assert.Equal(t, []string{"add b 2", "delete a 1"}, d.read(), "the last state inside the selection")
				assert.Equal(t, []string{"b"}, names(informer.List()))
				w.modify("a", in)
				assert.Equal(t, []string{"add a 7"}, d.read())
			})
		})
	}
}

func TestInformerOfOneNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		elsewhere := resttest.Client[Gear](t, w.api).Namespace("elsewhere")
		_, err := elsewhere.Create(t.Context(), gear("a", 2))
		require.NoError(t, err)
		informer := controller.NewInformer(elsewhere, controller.InformerOptions[Gear]{})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		w.create(gear("b", 3))
		synctest.Wait()
		require.Len(t, informer.List(), 1)
		_, ok := informer.Get("elsewhere", "a")
		assert.True(t, ok)
	})
}

func TestIndexes(t *testing.T) { overBoth(t, testIndexes) }

func testIndexes(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1, "x", "1"))
		w.create(gear("b", 2, "x", "1", "y", "1"))
		informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{
			"label": func(g *Gear) (keys []string) {
				for key := range g.Labels {
					keys = append(keys, key)
				}
				return keys
			},
			"teeth": func(g *Gear) []string { return []string{fmt.Sprint(g.Spec.Teeth), "any", "any"} },
		}})
		found := func(index, value string) []string {
			synctest.Wait()
			gears, err := informer.ByIndex(index, value)
			require.NoError(t, err)
			return names(gears)
		}
		assert.Empty(t, found("label", "x"))
		run(t, informer)
		assert.Equal(t, []string{"a", "b"}, found("label", "x"))
		assert.Equal(t, []string{"b"}, found("label", "y"))
		assert.Equal(t, []string{"a"}, found("teeth", "1"))
		assert.Equal(t, []string{"a", "b"}, found("teeth", "any"), "a value that is named twice counts once")
		assert.Empty(t, found("teeth", "x"), "the value of another index")
		assert.Empty(t, found("label", ""))

		w.modify("a", func(g *Gear) { g.Labels = map[string]string{"y": "1"}; g.Spec.Teeth = 2 })
		assert.Equal(t, []string{"b"}, found("label", "x"))
		assert.Equal(t, []string{"a", "b"}, found("label", "y"))
		assert.Empty(t, found("teeth", "1"))
		gears, err := informer.ByIndex("teeth", "2")
		require.NoError(t, err)
		assert.Equal(t, informer.List(), gears, "the index has the newest state")

		w.delete("a")
		assert.Equal(t, []string{"b"}, found("label", "y"))
		assert.Equal(t, []string{"b"}, found("teeth", "2"))
		_, err = informer.ByIndex("none", "x")
		assert.ErrorContains(t, err, `"none"`)
	})
}

// Two indexes with the same value do not mix.
func TestIndexesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		same := func(*Gear) []string { return []string{"same"} }
		informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{"one": same, "other": same}})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		for _, index := range []string{"one", "other"} {
			gears, err := informer.ByIndex(index, "same")
			require.NoError(t, err)
			assert.Equal(t, []string{"a"}, names(gears), index)
		}
	})
}

// The informer frees deleted objects.
func TestDeletedObjectsAreFreed(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("a", 1))
	informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{
		"any": func(*Gear) []string { return []string{"any"} },
	}})
	came := make(chan struct{}, 2)
	informer.AddHandler(controller.Handler[Gear]{OnAdd: func(*Gear) { came <- struct{}{} }})
	run(t, informer)
	within(t, came)
	g, _ := informer.Get("default", "a")
	gone := weak.Make(g)
	w.delete("a")
	w.create(gear("b", 1))
	within(t, came)
	apitest.Await(t, "the informer lets go of the object", func() bool {
		runtime.GC()
		return gone.Value() == nil
	})
}

// held adds a handler that blocks the informer from the first change of the object "gate" until letGo is called, so
// that the store can drop changes that the informer has not seen.
func held(informer *controller.Informer[Gear]) (arrived <-chan struct{}, letGo func()) {
	at, goOn := make(chan struct{}), make(chan struct{})
	informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(_, g *Gear) {
		if g.Name == "gate" {
			close(at)
			<-goOn
		}
	}})
	return at, sync.OnceFunc(func() { close(goOn) })
}

// If the store has dropped an informer's position, the informer lists again and reports the difference.
func TestRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		for i, name := range []string{"changed", "deleted", "gate", "remade", "same"} {
			w.create(gear(name, int32(i), "x", name))
		}
		informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{
			"x": func(g *Gear) []string { return []string{g.Labels["x"]} },
		}})
		var d diary
		informer.AddHandler(d.handler())
		arrived, letGo := held(informer)
		run(t, informer)
		d.read()
		w.modify("gate", func(g *Gear) { g.Spec.Teeth = 100 })
		<-arrived
		assert.Equal(t, []string{"update gate 2->100"}, d.read())

		w.modify("changed", func(g *Gear) { g.Spec.Teeth = 50 })
		w.modify("changed", func(g *Gear) { g.Spec.Teeth = 51; g.Labels["x"] = "new" })
		w.delete("deleted")
		w.delete("remade")
		w.create(gear("remade", 52))
		w.create(gear("brief", 53))
		w.delete("brief")
		w.create(gear("zz", 54))
		w.compact()
		same, _ := informer.Get("default", "same")
		letGo()
		assert.Equal(t, []string{
			"update changed 0->51", "delete deleted 1", "delete remade 3", "add remade 52", "add zz 54",
		}, d.read())
		assert.Equal(t, []string{"changed", "gate", "remade", "same", "zz"}, names(informer.List()))
		for value, want := range map[string][]string{"changed": {}, "new": {"changed"}, "deleted": {}, "same": {"same"},
			"": {"remade", "zz"}} {
			gears, err := informer.ByIndex("x", value)
			require.NoError(t, err)
			assert.Equal(t, want, names(gears), value)
		}

		after, _ := informer.Get("default", "same")
		assert.Same(t, same, after, "unchanged objects stay the same pointers")
		w.modify("same", func(g *Gear) { g.Spec.Teeth = 60 })
		assert.Equal(t, []string{"update same 4->60"}, d.read(), "the informer continues with a watch")
	})
}

// An informer runs as long as a call of Run is active, and a later call continues where it stopped.
func TestRunIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var d diary
		informer.AddHandler(d.handler())
		stopFirst := run(t, informer)
		synctest.Wait() // then it is the first
		stopSecond := run(t, informer)
		assert.Equal(t, []string{"add a 1", "synced"}, d.read())
		stopFirst()
		w.create(gear("b", 2))
		assert.Equal(t, []string{"add b 2"}, d.read(), "the second still runs")
		stopSecond()

		w.modify("a", func(g *Gear) { g.Spec.Teeth = 10 })
		w.delete("b")
		assert.Empty(t, d.read(), "no call of Run is active")
		assert.Equal(t, []string{"a", "b"}, names(informer.List()))
		var late diary
		informer.AddHandler(late.handler())
		assert.Equal(t, []string{"add a 1", "add b 2", "synced"}, late.read())

		run(t, informer)
		difference := []string{"update a 1->10", "delete b 2"}
		assert.Equal(t, difference, d.read())
		assert.Equal(t, difference, late.read())

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		assert.NoError(t, informer.Run(ended))
	})
}

// ofOthers returns a client of a type that no API in this process serves.
func ofOthers[T any](t *testing.T) rest.Client[T] {
	t.Helper()
	c, err := rest.ClientForEndpoint(rest.Endpoint{URL: "http://127.0.0.1"},
		rest.Resource[T]{Group: "example.com", Version: "v1", Plural: "others"})
	require.NoError(t, err)
	return c
}

// Run returns the error of invalid arguments. WaitForSync then waits until its context ends.
func TestRunFails(t *testing.T) {
	type Nameless struct {
		apimeta.TypeMeta
		Metadata struct{ Name int } `json:"metadata"`
	}
	panicking := func(informer *controller.Informer[Gear], h controller.Handler[Gear]) runner {
		informer.AddHandler(h)
		return informer
	}
	tests := []struct {
		name    string
		of      func(w *workshop) runner
		message string
	}{
		{"no object", func(*workshop) runner {
			return controller.NewInformer(ofOthers[Nameless](t), controller.InformerOptions[Nameless]{})
		}, "no string metadata.namespace"},
		{"label selector", func(w *workshop) runner {
			return gearInformer(w, controller.InformerOptions[Gear]{LabelSelector: "=="})
		}, "found '=='"},
		{"field selector", func(w *workshop) runner {
			return gearInformer(w, controller.InformerOptions[Gear]{FieldSelector: "spec.teeth=1"})
		}, "field label not supported"},
		{"index without a function", func(w *workshop) runner {
			return gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{"i": nil}})
		}, `"i"`},
		{"index that panics", func(w *workshop) runner {
			return gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{"i": func(*Gear) []string { panic("ouch") }}})
		}, "ouch"},
		{"handler that panics at the list", func(w *workshop) runner {
			return panicking(gearInformer(w, controller.InformerOptions[Gear]{}),
				controller.Handler[Gear]{OnAdd: func(*Gear) { panic("ouch") }})
		}, "ouch"},
		{"handler that panics at a change", func(w *workshop) runner {
			informer := gearInformer(w, controller.InformerOptions[Gear]{})
			informer.AddHandler(controller.Handler[Gear]{OnSynced: func() { go w.delete("a") }})
			return panicking(informer, controller.Handler[Gear]{OnDelete: func(*Gear) { panic("ouch") }})
		}, "ouch"},
		{"the API is shut down", func(w *workshop) runner {
			informer := gearInformer(w, controller.InformerOptions[Gear]{})
			informer.AddHandler(controller.Handler[Gear]{OnSynced: func() {
				go func() { assert.NoError(w.t, w.api.Close()) }()
			}})
			return informer
		}, "shutting down"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkshop(t)
				w.create(gear("a", 1))
				assert.ErrorContains(t, tt.of(w).Run(t.Context()), tt.message)
			})
		})
	}
}

// Every call of Run returns why the informer has ended, and it does not run without calls.
func TestEveryRunFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- informer.Run(t.Context()) }()
		}
		synctest.Wait()
		require.NoError(t, w.api.Close())
		for range 2 {
			assert.ErrorContains(t, <-errs, "shutting down")
		}
		assert.ErrorContains(t, informer.Run(t.Context()), "shutting down")
	})
}

func TestWaitForSyncEndsWithItsContext(t *testing.T) {
	w := newWorkshop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, gearInformer(w, controller.InformerOptions[Gear]{}).WaitForSync(ctx), context.Canceled)
}

// A handler may do what any other caller may: read, add handlers, remove them, and run the informer.
func TestHandlersMayUseTheInformer(t *testing.T) { overBoth(t, testHandlersMayUseTheInformer) }

func testHandlersMayUseTheInformer(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		w.create(gear("b", 2))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var inner, brief diary
		var removeBrief func()
		removeBrief = informer.AddHandler(controller.Handler[Gear]{OnAdd: func(g *Gear) {
			brief.write("add %s of %d", g.Name, len(informer.List()))
			removeBrief()
		}})
		var once sync.Once
		informer.AddHandler(controller.Handler[Gear]{OnAdd: func(g *Gear) {
			once.Do(func() { informer.AddHandler(inner.handler()) })
		}})
		run(t, informer)
		assert.Equal(t, []string{"add a of 2"}, brief.read(), "at the first list the cache is complete from the beginning")
		assert.Equal(t, []string{"add a 1", "add b 2", "synced"}, inner.read())
		w.create(gear("c", 3))
		assert.Equal(t, []string{"add c 3"}, inner.read())
		assert.Empty(t, brief.read())

		// A handler that a handler adds is called once the outer handler has returned, even without a change.
		var added, taken diary
		informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(_, g *Gear) {
			informer.AddHandler(taken.handler())()
			informer.AddHandler(added.handler())
			assert.Empty(t, added.lines)
		}})
		w.modify("c", func(g *Gear) { g.Spec.Teeth = 4 })
		assert.Equal(t, []string{"add a 1", "add b 2", "add c 4", "synced"}, added.read())
		assert.Empty(t, taken.read(), "added and taken out again")

		// A handler that removes itself while it joins stays removed.
		var joining diary
		var removeJoining func()
		removed := make(chan struct{})
		removeJoining = informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(_, g *Gear) {
			joining.write("update %s", g.Name)
		},
			OnSynced: func() { go func() { <-removed; removeJoining(); close(removed) }() }})
		removed <- struct{}{}
		<-removed
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 5 })
		assert.Empty(t, joining.read())
	})
}

// Handlers that are added at the same time are all called.
func TestHandlersJoinTogether(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("a", 1))
	informer := gearInformer(w, controller.InformerOptions[Gear]{})
	run(t, informer)
	require.NoError(t, informer.WaitForSync(t.Context()))
	for range 2000 {
		var added, told sync.WaitGroup
		remove := make([]func(), 8)
		told.Add(len(remove))
		for n := range remove {
			added.Add(1)
			go func() {
				defer added.Done()
				remove[n] = informer.AddHandler(controller.Handler[Gear]{OnSynced: told.Done})
			}()
		}
		added.Wait()
		through := make(chan struct{})
		go func() { told.Wait(); close(through) }()
		within(t, through)
		for _, r := range remove {
			r()
		}
	}
}

// Run waits for a running handler, and the next Run waits for that too.
func TestRunAgainWhileTheLastOneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("gate", 1))
		w.create(gear("a", 1))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var d diary
		informer.AddHandler(d.handler())
		arrived, letGo := held(informer)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		d.read()
		w.modify("gate", func(g *Gear) { g.Spec.Teeth = 2 })
		<-arrived
		w.delete("a")
		cancel()
		synctest.Wait()
		assert.Empty(t, ended, "a handler is still running")
		run(t, informer)
		synctest.Wait()
		letGo()
		assert.NoError(t, <-ended)
		assert.Equal(t, []string{"update gate 1->2", "delete a 1"}, d.read())
		w.create(gear("b", 1))
		assert.Equal(t, []string{"add b 1"}, d.read())
	})
}

// Kinds need not use our metadata, nor fields of type string.
func TestMetadataOfAnyType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newWorkshop(t).store
		api, err := rest.New(rest.Options{Store: store},
			rest.Resource[Foreign]{Group: "other.example.com", Version: "v1", Plural: "foreigns"})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, api.Close()) })
		client := resttest.Client[Foreign](t, api).Namespace("default")
		informer := controller.NewInformer(client, controller.InformerOptions[Foreign]{})
		run(t, informer)
		f := &Foreign{}
		f.Meta.Name = "a"
		_, err = client.Create(t.Context(), f)
		require.NoError(t, err)
		synctest.Wait()
		got, ok := informer.Get("default", "a")
		require.True(t, ok)
		assert.NotEmpty(t, got.Meta.UID)
	})
}

// Foreign is a kind with the metadata of another library, whose fields are in an embedded struct.
type Foreign struct {
	ForeignType `json:",inline"`
	Body
}

type ForeignType struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type Body struct {
	Meta struct {
		Name            ForeignName `json:"name,omitempty"`
		Namespace       string      `json:"namespace,omitempty"`
		UID             ForeignName `json:"uid,omitempty"`
		ResourceVersion string      `json:"resourceVersion,omitempty"`
	} `json:"metadata,omitzero"`
	Spec struct{} `json:"spec,omitzero"`
}

type ForeignName string
