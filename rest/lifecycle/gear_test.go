package lifecycle_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Part is a namespaced kind, Site a cluster-scoped one.
type Part struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PartSpec `json:"spec,omitzero"`
}

type PartSpec struct {
	Size int32 `json:"size,omitempty"`
}

type Site Part

type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               NamespaceSpec   `json:"spec,omitempty"`
	Status             NamespaceStatus `json:"status,omitempty"`
}

type NamespaceSpec struct {
	Finalizers []string `json:"finalizers,omitempty"`
}

type NamespaceStatus struct {
	Phase      string               `json:"phase,omitempty"`
	Conditions []NamespaceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

type NamespaceCondition struct {
	Type               string       `json:"type"`
	Status             string       `json:"status"`
	LastTransitionTime apimeta.Time `json:"lastTransitionTime,omitempty,omitzero"`
	Reason             string       `json:"reason,omitempty"`
	Message            string       `json:"message,omitempty"`
}

func parts() rest.Resource[Part] {
	return rest.Resource[Part]{Group: "example.com", Version: "v1", Plural: "parts"}
}

func sites() rest.Resource[Site] {
	return rest.Resource[Site]{Group: "example.com", Version: "v1", Plural: "sites", Scope: rest.ScopeCluster}
}

// world is an API with a running controller, in a synctest bubble.
type world struct {
	*testing.T
	api   *rest.API
	newer *rest.API // another one over the same store, which serves the parts, or nil
}

func (w *world) parts() rest.Client[Part] { return resttest.Client[Part](w.T, cmp.Or(w.newer, w.api)) }

func (w *world) sites() rest.Client[Site] { return resttest.Client[Site](w.T, w.api) }

// inWorld runs f beside a controller. The bubble fails if the controller leaves a goroutine when its context ends.
func inWorld(t *testing.T, run func(context.Context, *rest.API, lifecycle.Options) error, options rest.Options,
	definitions []rest.Definition, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { inBubble(t, run, options, definitions, f) })
}

// inBubble is inWorld for a caller that already runs in a bubble.
func inBubble(t *testing.T, run func(context.Context, *rest.API, lifecycle.Options) error, options rest.Options,
	definitions []rest.Definition, f func(w *world)) {
	t.Helper()
	api, err := rest.New(options, definitions...)
	require.NoError(t, err)
	w := &world{T: t, api: api}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, api, lifecycle.Options{}) }()
	defer func() {
		stop()
		assert.NoError(t, <-ended)
		assert.NoError(t, api.Close())
	}()
	f(w)
}

// inStores is inWorld with a store of its own for the Parts.
func inStores(t *testing.T, run func(context.Context, *rest.API, lifecycle.Options) error,
	definitions []rest.Definition, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		own := memory.New(storage.Options{Start: 1})
		defer func() { assert.NoError(t, own.Close()) }()
		options := rest.Options{Stores: map[apimeta.GroupResource]storage.Store{{Group: "example.com",
			Resource: "parts"}: own}}
		inBubble(t, run, options, definitions, f)
	})
}

func collecting(t *testing.T, f func(w *world)) {
	t.Helper()
	inWorld(t, lifecycle.CollectGarbage, rest.Options{}, []rest.Definition{parts(), sites()}, f)
}

// settle waits until the controller is idle and no failure waits for a retry. It advances the fake time by more than
// the longest delay.
func (w *world) settle() {
	synctest.Wait()
	<-time.After(time.Hour)
	synctest.Wait()
}

func (w *world) refTo(namespace, name string) apimeta.OwnerReference {
	w.Helper()
	if namespace == "" {
		site, err := w.sites().Get(w.Context(), name)
		require.NoError(w, err)
		return apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Site", Name: name, UID: site.UID}
	}
	part, err := w.parts().Namespace(namespace).Get(w.Context(), name)
	require.NoError(w, err)
	return apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Part", Name: name, UID: part.UID}
}

// blocking returns the reference with blockOwnerDeletion set.
func blocking(r apimeta.OwnerReference) apimeta.OwnerReference {
	yes := true
	r.BlockOwnerDeletion = &yes
	return r
}

// part creates a Part, given as "namespace/name", with these owners, and returns its uid.
func (w *world) part(key string, owners ...apimeta.OwnerReference) string {
	w.Helper()
	return w.make(key, nil, owners...)
}

func (w *world) make(key string, finalizers []string, owners ...apimeta.OwnerReference) string {
	w.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	part, err := w.parts().Namespace(namespace).Create(w.Context(),
		&Part{ObjectMeta: apimeta.ObjectMeta{Name: name, Finalizers: finalizers, OwnerReferences: owners}})
	require.NoError(w, err)
	return part.UID
}

func (w *world) site(name string, owners ...apimeta.OwnerReference) string {
	w.Helper()
	site, err := w.sites().Create(w.Context(), &Site{ObjectMeta: apimeta.ObjectMeta{Name: name, OwnerReferences: owners}})
	require.NoError(w, err)
	return site.UID
}

func (w *world) delete(key string, policy apimeta.DeletionPropagation) {
	w.Helper()
	namespace, name, found := strings.Cut(key, "/")
	var err error
	if found {
		err = w.parts().Namespace(namespace).Delete(w.Context(), name, rest.DeleteOptions{PropagationPolicy: policy})
	} else {
		err = w.sites().Delete(w.Context(), key, rest.DeleteOptions{PropagationPolicy: policy})
	}
	require.NoError(w, err)
}

// left lists the existing objects as "namespace/name" or "name", followed by a colon and the names of their owners, and
// by "!" if the object is being deleted.
func (w *world) left() []string {
	w.Helper()
	out := []string{}
	add := func(m *apimeta.ObjectMeta) {
		text := strings.TrimPrefix(m.Namespace+"/"+m.Name, "/")
		if m.DeletionTimestamp != nil {
			text += "!"
		}
		var owners []string
		for _, o := range m.OwnerReferences {
			owners = append(owners, o.Name)
		}
		if slices.Sort(owners); len(owners) > 0 {
			text += ":" + strings.Join(owners, ",")
		}
		out = append(out, text)
	}
	for part, err := range w.parts().All(w.Context(), rest.ListOptions{}) {
		require.NoError(w, err)
		add(&part.ObjectMeta)
	}
	for site, err := range w.sites().All(w.Context(), rest.ListOptions{}) {
		require.NoError(w, err)
		add(&site.ObjectMeta)
	}
	return out
}

// unfinalize removes all finalizers from a Part.
func (w *world) unfinalize(key string) {
	w.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	_, err := w.parts().Namespace(namespace).Modify(w.Context(), name,
		func(p *Part) error { p.Finalizers = nil; return nil })
	if !status.IsNotFound(err) {
		require.NoError(w, err)
	}
}
