package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// A client-go informer with its default settings follows every change, and in the end holds what a list returns.
func TestInformer(t *testing.T) {
	for _, g := range exampleTargets() {
		t.Run(g.name(), func(t *testing.T) {
			s := startServer(t, g.host, newest())
			config := &rest.Config{Host: s.url}
			client, err := dynamic.NewForConfig(config)
			require.NoError(t, err)
			gvr := schema.GroupVersionResource{Group: g.group, Version: "v1", Resource: g.plural}
			objects := client.Resource(gvr).Namespace(namespace)

			_, err = objects.Create(t.Context(), parse(t, g.manifest("early", "a", g.full)), metav1.CreateOptions{})
			require.NoError(t, err)

			factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
			informer := factory.ForResource(gvr).Informer()
			seen := make(chan string, 1000)
			_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc:    func(o any) { seen <- "added " + team(o) },
				UpdateFunc: func(_, o any) { seen <- "updated " + team(o) },
				DeleteFunc: func(o any) { seen <- "deleted " + team(o) },
			})
			require.NoError(t, err)
			stop := make(chan struct{})
			factory.Start(stop)
			defer factory.Shutdown()
			defer close(stop)
			awaitEvent(t, seen, "added early a")
			require.True(t, cache.WaitForCacheSync(stop, informer.HasSynced))

			_, err = objects.Create(t.Context(), parse(t, g.manifest("late", "a", g.bare)), metav1.CreateOptions{})
			require.NoError(t, err)
			awaitEvent(t, seen, "added late a")
			_, err = objects.Patch(t.Context(), "late", types.MergePatchType, []byte(`{"metadata":{"labels":{"team":"b"}}}`),
				metav1.PatchOptions{})
			require.NoError(t, err)
			awaitEvent(t, seen, "updated late b")
			require.NoError(t, objects.Delete(t.Context(), "early", metav1.DeleteOptions{}))
			awaitEvent(t, seen, "deleted early a")

			assert.Len(t, informer.GetStore().ListKeys(), 1)
		})
	}
}

// A stale write is a conflict that client-go's retry helper understands.
func TestConflict(t *testing.T) {
	g := exampleTargets()[0]
	s := startServer(t, g.host, newest())
	client, err := dynamic.NewForConfig(&rest.Config{Host: s.url})
	require.NoError(t, err)
	objects := client.Resource(schema.GroupVersionResource{Group: g.group, Version: "v1",
		Resource: g.plural}).Namespace(namespace)
	stale, err := objects.Create(t.Context(), parse(t, g.manifest("one", "a", g.bare)), metav1.CreateOptions{})
	require.NoError(t, err)

	set := func(o *unstructured.Unstructured, team string) error {
		o.SetLabels(map[string]string{"team": team})
		_, err := objects.Update(t.Context(), o, metav1.UpdateOptions{})
		return err
	}
	require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := objects.Get(t.Context(), "one", metav1.GetOptions{})
		require.NoError(t, err)
		return set(fresh, "b")
	}))
	err = set(stale, "c")
	assert.True(t, apierrors.IsConflict(err), "%v", err)
}

func parse(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &o.Object))
	return o
}

func team(o any) string {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	object := o.(metav1.Object)
	return object.GetName() + " " + object.GetLabels()["team"]
}

// awaitEvent skips events until the wanted one arrives. The host's own controller causes other events by writing the
// status.
func awaitEvent(t *testing.T, seen <-chan string, want string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case got := <-seen:
			if got == want {
				return
			}
		case <-deadline:
			require.Fail(t, "no such event", want)
		}
	}
}
