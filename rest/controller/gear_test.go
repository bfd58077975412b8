package controller_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// Gear is the kind of the tests.
type Gear struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   GearSpec   `json:"spec"`
	Status GearStatus `json:"status,omitzero"`
}

type GearSpec struct {
	Teeth int32  `json:"teeth,omitempty"`
	Color string `json:"color,omitempty"`
}

type GearStatus struct {
	Teeth int32 `json:"teeth,omitempty"`
}

// Tooth belongs to a Gear.
type Tooth struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct{} `json:"spec,omitzero"`
}

// Machine is cluster-scoped.
type Machine struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec struct{} `json:"spec,omitzero"`
}

const group = "mech.example.com"

// workshop is an API over a store that the test can inspect.
type workshop struct {
	t     testing.TB
	api   *rest.API
	store *memory.Store
	all   rest.Client[Gear] // a client for all namespaces
	gears rest.Client[Gear]
}

func gears() rest.Resource[Gear] {
	return rest.Resource[Gear]{Group: group, Version: "v1", Plural: "gears", SelectableFields: []string{"spec.color"}}
}

// elsewhere returns a client over HTTP of the Gears that a transport leads to.
func elsewhere(t testing.TB, transport http.RoundTripper) rest.Client[Gear] {
	t.Helper()
	client, err := rest.ClientForEndpoint(rest.Endpoint{URL: "http://gears.example.com",
		HTTP: &http.Client{Transport: transport}}, gears())
	require.NoError(t, err)
	return client
}

// overBoth runs a test with clients in process and with clients over HTTP.
func overBoth(t *testing.T, test func(t *testing.T, newWorkshop func(testing.TB) *workshop)) {
	t.Run("in process", func(t *testing.T) { test(t, newWorkshop) })
	t.Run("over HTTP", func(t *testing.T) {
		test(t, func(t testing.TB) *workshop {
			w := newWorkshop(t)
			w.all = elsewhere(t, rest.RoundTripper(w.api))
			w.gears = w.all.Namespace("default")
			return w
		})
	})
}

func newWorkshop(t testing.TB) *workshop { return workshopOf(t, gears()) }

// workshopOf is newWorkshop for another declaration of the Gears.
func workshopOf(t testing.TB, gears rest.Resource[Gear]) *workshop {
	t.Helper()
	store := memory.New(storage.Options{})
	api, err := rest.New(rest.Options{Store: store},
		gears,
		rest.Resource[Tooth]{Group: group, Version: "v1", Plural: "teeth"},
		rest.Resource[Machine]{Group: group, Version: "v1", Plural: "machines", Scope: rest.ScopeCluster})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	})
	all := resttest.Client[Gear](t, api)
	return &workshop{t, api, store, all, all.Namespace("default")}
}

// gear returns a Gear with labels given as pairs.
func gear(name string, teeth int32, labels ...string) *Gear {
	g := &Gear{ObjectMeta: apimeta.ObjectMeta{Name: name, Labels: map[string]string{}}, Spec: GearSpec{Teeth: teeth}}
	for i := 0; i+1 < len(labels); i += 2 {
		g.Labels[labels[i]] = labels[i+1]
	}
	return g
}

func (w *workshop) create(g *Gear) *Gear {
	w.t.Helper()
	created, err := w.gears.Create(context.Background(), g)
	require.NoError(w.t, err)
	return created
}

func (w *workshop) modify(name string, f func(*Gear)) *Gear {
	w.t.Helper()
	changed, err := w.gears.Modify(context.Background(), name, func(g *Gear) error { f(g); return nil })
	require.NoError(w.t, err)
	return changed
}

func (w *workshop) delete(name string) {
	w.t.Helper()
	require.NoError(w.t, w.gears.Delete(context.Background(), name, rest.DeleteOptions{}))
}

// compact makes the store forget everything except the present state.
func (w *workshop) compact() {
	w.t.Helper()
	require.NoError(w.t, w.store.Compact(context.Background(), w.store.Revision()))
}

func (w *workshop) revision() watch.Revision { return w.store.Revision() }

// runner is the common interface of informers and controllers.
type runner interface{ Run(context.Context) error }

// run runs r until stop is called or the test ends. r must not return an error.
func run(t testing.TB, r runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		require.NoError(t, within(t, ended))
	}
	t.Cleanup(stop)
	return stop
}

// within receives from a channel, and fails the test if nothing arrives for a long time.
func within[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		require.FailNow(t, "no value arrived within a minute")
		panic("unreachable")
	}
}

func names(gears []*Gear) []string {
	out := []string{}
	for _, g := range gears {
		out = append(out, g.Name)
	}
	return out
}

func gearInformer(w *workshop, options controller.InformerOptions[Gear]) *controller.Informer[Gear] {
	return controller.NewInformer(w.all, options)
}
