package clients_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Path is a kind in two versions.
type Path struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Meters int64 `json:"meters"`
	} `json:"spec"`
}

type PathV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Kilometers int64 `json:"kilometers"`
	} `json:"spec"`
}

func paths() rest.Resource[Path] {
	return rest.Resource[Path]{Group: "example.com", Version: "v1", Plural: "paths", Versions: []rest.VersionOf[Path]{
		rest.Converted(rest.Resource[PathV1beta1]{Version: "v1beta1"},
			func(in *PathV1beta1, out *Path) error {
				out.Spec.Meters = 1000 * in.Spec.Kilometers
				return nil
			},
			func(in *Path, out *PathV1beta1) error {
				out.Spec.Kilometers = in.Spec.Meters / 1000
				return nil
			}),
	}}
}

func path(version, field string, length int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/" + version, "kind": "Path", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{field: length}}}
}

// Two clients write in two versions, and each sees the other's changes on its watch.
func TestDynamicClientOfTwoVersions(t *testing.T) {
	api, err := rest.New(rest.Options{}, paths())
	require.NoError(t, err)
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close())
		web.Close()
	})
	config := &clientrest.Config{Host: web.URL}
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))

	resource := func(version string) dynamic.ResourceInterface {
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Path"}, version)
		require.NoError(t, err)
		assert.Equal(t, version, mapping.Resource.Version)
		return client.Resource(mapping.Resource).Namespace("default")
	}
	stored, beta := resource("v1"), resource("v1beta1")
	preferred, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Path"})
	require.NoError(t, err)
	assert.Equal(t, "v1", preferred.Resource.Version)

	watches := map[string]apiwatch.Interface{}
	for version, r := range map[string]dynamic.ResourceInterface{"v1": stored, "v1beta1": beta} {
		w, err := r.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
		require.NoError(t, err)
		defer w.Stop()
		watches[version] = w
	}
	sees := func(event apiwatch.EventType, meters int64) {
		t.Helper()
		for version, want := range map[string]struct {
			field  string
			length int64
		}{"v1": {"meters", meters}, "v1beta1": {"kilometers", meters / 1000}} {
			got := <-watches[version].ResultChan()
			require.Equal(t, event, got.Type)
			object := got.Object.(*unstructured.Unstructured)
			assert.Equal(t, "example.com/"+version, object.GetAPIVersion())
			length, _, err := unstructured.NestedInt64(object.Object, "spec", want.field)
			require.NoError(t, err)
			assert.Equal(t, want.length, length)
		}
	}
	made, err := beta.Create(t.Context(), path("v1beta1", "kilometers", 5), metav1.CreateOptions{})
	require.NoError(t, err)
	sees(apiwatch.Added, 5000)
	_, err = stored.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"spec":{"meters":7200}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	sees(apiwatch.Modified, 7200)
	_, err = beta.Update(t.Context(), made, metav1.UpdateOptions{})
	require.ErrorContains(t, err, "the object has been modified")
	latest, err := beta.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	_, err = beta.Update(t.Context(), latest, metav1.UpdateOptions{})
	require.NoError(t, err, "an update without changes does not round the value")
	require.NoError(t, beta.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	sees(apiwatch.Deleted, 7200)
}
