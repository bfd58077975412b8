package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Bolt belongs to the core group.
type Bolt Part

func bolts() rest.Resource[Bolt] {
	return rest.Resource[Bolt]{Version: "v1", Plural: "bolts",
		Verbs: []access.Verb{access.VerbGet, access.VerbList, access.VerbWatch}}
}

func emptying(t *testing.T, options rest.Options, f func(w *world, namespaces rest.Client[Namespace])) {
	t.Helper()
	inWorld(t, lifecycle.EmptyNamespaces, options,
		[]rest.Definition{rest.NamespacesOf[Namespace](), parts(), sites(), bolts()}, func(w *world) {
			namespaces := resttest.Client[Namespace](t, w.api)
			for _, name := range []string{"a", "b"} {
				_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
				require.NoError(w, err)
			}
			f(w, namespaces)
		})
}

// A namespace is gone only when the objects in every store are gone.
func TestEmptyNamespacesInSeveralStores(t *testing.T) {
	inStores(t, lifecycle.EmptyNamespaces, []rest.Definition{rest.NamespacesOf[Namespace](), parts(), sites()},
		func(w *world) {
			namespaces := resttest.Client[Namespace](t, w.api)
			_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
			require.NoError(w, err)
			w.part("a/x")
			w.make("a/held", []string{"example.com/hold"})
			require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
			w.settle()
			assert.Equal(w, []string{"a/held!"}, w.left())
			_, err = namespaces.Get(w.Context(), "a")
			assert.NoError(w, err)
			w.unfinalize("a/held")
			w.settle()
			_, err = namespaces.Get(w.Context(), "a")
			assert.True(w, status.IsNotFound(err), err)
		})
}

func TestEmptyNamespaces(t *testing.T) {
	emptying(t, rest.Options{}, func(w *world, namespaces rest.Client[Namespace]) {
		w.part("a/x")
		w.part("a/y", w.refTo("a", "x"))
		w.part("b/z")
		w.site("s")
		_, err := resttest.Client[Bolt](t, w.api).Namespace("a").Create(w.Context(),
			&Bolt{ObjectMeta: apimeta.ObjectMeta{Name: "m4"}})
		require.NoError(w, err)
		w.settle()
		require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
		w.settle()
		assert.Equal(w, []string{"b/z", "s"}, w.left(), "the other namespace and the cluster-scoped objects stay")
		_, err = namespaces.Get(w.Context(), "a")
		assert.True(w, status.IsNotFound(err), err)
		_, err = namespaces.Get(w.Context(), "b")
		assert.NoError(w, err)

		// The name is free again.
		_, err = namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(w, err)
		w.part("a/x")
		w.settle()
		assert.Equal(w, []string{"a/x", "b/z", "s"}, w.left())
	})
}

func conditionsOf(t *testing.T, namespaces rest.Client[Namespace], name string) map[string]string {
	t.Helper()
	n, err := namespaces.Get(t.Context(), name)
	require.NoError(t, err)
	assert.Equal(t, "Terminating", n.Status.Phase)
	out := map[string]string{}
	for _, c := range n.Status.Conditions {
		assert.False(t, c.LastTransitionTime.IsZero())
		out[c.Type] = c.Status + " " + c.Reason + ": " + c.Message
	}
	return out
}

// A condition shows no text of an error that clients may not see.
func TestConditionsOfNamespacesWithholdInternalErrors(t *testing.T) {
	options := rest.Options{Logger: slog.New(slog.DiscardHandler), Admission: []admission.Hook{{Name: "v",
		Operations: []admission.Operation{admission.Delete}, Resources: []string{"parts.example.com"},
		Validate: func(context.Context, *admission.Request) error { return fmt.Errorf("lookup: %w", storage.ErrKey) }}}}
	emptying(t, options, func(w *world, namespaces rest.Client[Namespace]) {
		w.part("a/kept")
		require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
		w.settle()
		assert.Equal(w, "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: Internal error occurred: "+
			"the request could not be completed", conditionsOf(w.T, namespaces, "a")["NamespaceDeletionContentFailure"])
	})
}

// The conditions report what remains, as those of Kubernetes' own controller do.
func TestConditionsOfNamespaces(t *testing.T) {
	var allowed atomic.Bool
	options := rest.Options{Admission: []admission.Hook{{Name: "v", Operations: []admission.Operation{admission.Delete},
		Resources: []string{"parts.example.com"},
		Validate: func(_ context.Context, r *admission.Request) error {
			if !allowed.Load() && r.Name == "kept" {
				return errors.New("not yet")
			}
			return nil
		}}}}
	emptying(t, options, func(w *world, namespaces rest.Client[Namespace]) {
		w.make("a/held", []string{"example.com/f", "example.com/g"})
		w.make("a/too", []string{"example.com/f"})
		w.part("a/kept")
		w.part("a/gone")
		_, err := resttest.Client[Bolt](t, w.api).Namespace("a").Create(w.Context(),
			&Bolt{ObjectMeta: apimeta.ObjectMeta{Name: "m4", Finalizers: []string{"example.com/g"}}})
		require.NoError(w, err)
		require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
		w.settle()
		want := map[string]string{
			"NamespaceDeletionDiscoveryFailure":           "False ResourcesDiscovered: All resources successfully discovered",
			"NamespaceDeletionGroupVersionParsingFailure": "False ParsedGroupVersions: All legacy kube types successfully parsed",
			"NamespaceDeletionContentFailure":             `True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: parts.example.com "kept" is forbidden: not yet`,
			"NamespaceContentRemaining":                   "True SomeResourcesRemain: Some resources are remaining: bolts. has 1 resource instances, parts.example.com has 3 resource instances",
			"NamespaceFinalizersRemaining":                "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/f in 2 resource instances, example.com/g in 2 resource instances",
		}
		assert.Equal(w, want, conditionsOf(w.T, namespaces, "a"))
		assert.Equal(w, []string{"a/held!", "a/kept", "a/too!"}, w.left())

		// The API rejects new objects in a namespace that is being deleted.
		_, err = w.parts().Namespace("a").Create(w.Context(), &Part{ObjectMeta: apimeta.ObjectMeta{Name: "late"}})
		require.True(w, status.IsForbidden(err))
		assert.True(w, status.HasCause(err, status.CauseNamespaceTerminating))

		allowed.Store(true)
		w.unfinalize("a/held")
		w.settle()
		want["NamespaceDeletionContentFailure"] = "False ContentDeleted: All content successfully deleted, may be waiting on finalization"
		want["NamespaceContentRemaining"] = "True SomeResourcesRemain: Some resources are remaining: bolts. has 1 resource instances, parts.example.com has 1 resource instances"
		want["NamespaceFinalizersRemaining"] = "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/f in 1 resource instances, example.com/g in 1 resource instances"
		assert.Equal(w, want, conditionsOf(w.T, namespaces, "a"))

		w.unfinalize("a/too")
		_, err = resttest.Client[Bolt](t, w.api).Namespace("a").Modify(w.Context(), "m4",
			func(b *Bolt) error { b.Finalizers = nil; return nil })
		require.NoError(w, err)
		w.settle()
		_, err = namespaces.Get(w.Context(), "a")
		assert.True(w, status.IsNotFound(err))
	})
}

// A finalizer of another controller holds the namespace after it is empty.
func TestNamespacesHeldByOthers(t *testing.T) {
	emptying(t, rest.Options{}, func(w *world, namespaces rest.Client[Namespace]) {
		_, err := namespaces.Create(w.Context(),
			&Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "c", Finalizers: []string{"example.com/f"}},
				Spec: NamespaceSpec{Finalizers: []string{"example.com/mine", "kubernetes"}}})
		require.NoError(w, err)
		w.part("c/x")
		require.NoError(w, namespaces.Delete(w.Context(), "c", rest.DeleteOptions{}))
		w.settle()
		n, err := namespaces.Get(w.Context(), "c")
		require.NoError(w, err)
		assert.Equal(w, []string{"example.com/mine"}, n.Spec.Finalizers)
		assert.Equal(w, []string{"example.com/f"}, n.Finalizers)
		assert.Empty(w, w.left())
	})
}

// A namespace takes the history of its objects along, whether they still exist or not.
func TestEmptyNamespacesErasesHistories(t *testing.T) {
	remembered := parts()
	remembered.History = &rest.History{}
	inWorld(t, lifecycle.EmptyNamespaces, rest.Options{}, []rest.Definition{rest.NamespacesOf[Namespace](), remembered},
		func(w *world) {
			namespaces := resttest.Client[Namespace](t, w.api)
			create := func(name string) {
				_, err := namespaces.Create(w.Context(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
				require.NoError(w, err)
			}
			create("a")
			create("b")
			for _, key := range []string{"a/x", "a/gone", "b/gone"} {
				w.part(key)
			}
			w.delete("a/gone", apimeta.DeletePropagationBackground)
			w.delete("b/gone", apimeta.DeletePropagationBackground)
			require.NoError(w, namespaces.Delete(w.Context(), "a", rest.DeleteOptions{}))
			w.settle()
			_, err := namespaces.Get(w.Context(), "a")
			require.True(w, status.IsNotFound(err), err)
			create("a")
			for _, name := range []string{"x", "gone"} {
				_, err := rest.HistoryOf(w.parts().Namespace("a")).List(w.Context(), name)
				assert.True(w, status.IsNotFound(err), "%s: %v", name, err)
			}
			list, err := rest.HistoryOf(w.parts().Namespace("b")).List(w.Context(), "gone")
			require.NoError(w, err)
			assert.Len(w, list.Items, 1)
		})
}
