package clients_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

const protobuf = "application/vnd.kubernetes.protobuf"

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "web"}},
		Data:       map[string]string{"a": "1"},
	}
}

// The test calls every method of the typed client. It uses Protobuf in both directions, including watches. A patch has
// a media type of its own.
func TestTypedClient(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		maps := h.typed(t).CoreV1().ConfigMaps(metav1.NamespaceDefault)

		events, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: "app=web"})
		require.NoError(t, err)
		defer events.Stop()

		made, err := maps.Create(ctx, configMap("one"), metav1.CreateOptions{})
		require.NoError(t, err)
		assert.NotEmpty(t, made.UID)
		_, err = maps.Create(ctx, configMap("one"), metav1.CreateOptions{})
		assert.True(t, apierrors.IsAlreadyExists(err), "%v", err)

		dry, err := maps.Create(ctx, configMap("dry"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.NoError(t, err)
		assert.NotEmpty(t, dry.UID)
		_, err = maps.Get(ctx, "dry", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)

		require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			fresh, err := maps.Get(ctx, "one", metav1.GetOptions{})
			require.NoError(t, err)
			fresh.Data["b"] = "2"
			_, err = maps.Update(ctx, fresh, metav1.UpdateOptions{})
			return err
		}))
		stale := made.DeepCopy()
		stale.Data["b"] = "3"
		_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
		assert.True(t, apierrors.IsConflict(err), "%v", err)

		for form, patch := range map[types.PatchType]string{
			types.JSONPatchType:           `[{"op":"add","path":"/data/json","value":"x"}]`,
			types.MergePatchType:          `{"data":{"merge":"x"}}`,
			types.StrategicMergePatchType: `{"data":{"strategic":"x"}}`,
		} {
			_, err := maps.Patch(ctx, "one", form, []byte(patch), metav1.PatchOptions{})
			require.NoError(t, err, form)
		}
		got, err := maps.Get(ctx, "one", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": "1", "b": "2", "json": "x", "merge": "x", "strategic": "x"}, got.Data)

		err = maps.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("another")})
		assert.True(t, apierrors.IsConflict(err), "%v", err)
		require.NoError(t, maps.Delete(ctx, "one",
			metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(got.UID))}))

		var seen []watch.EventType
		await(t, events.ResultChan(), "the deletion", func(e watch.Event) bool {
			seen = append(seen, e.Type)
			return e.Type == watch.Deleted
		})
		assert.Equal(t, []watch.EventType{watch.Added, watch.Modified, watch.Modified, watch.Modified, watch.Modified,
			watch.Deleted}, seen)

		other := h.wire.saw(func(e exchange) bool {
			sent := e.sent == protobuf || e.sent == "" || e.method == http.MethodPatch
			answered, _, _ := strings.Cut(e.answered, ";")
			return !sent || answered != protobuf
		})
		assert.Empty(t, other, "only Protobuf is used")
	})
}

// The pages of a list are one snapshot, and DELETE of a collection deletes the objects that a selector matches.
func TestPagesAndCollections(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		maps := h.typed(t).CoreV1().ConfigMaps(metav1.NamespaceDefault)
		const n = 25
		for i := range n {
			m := configMap("m" + strconv.Itoa(i))
			m.Labels["odd"] = strconv.FormatBool(i%2 == 1)
			_, err := maps.Create(ctx, m, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		pages := pager.New(pager.SimplePageFunc(func(o metav1.ListOptions) (runtime.Object,
			error) {
			return maps.List(ctx, o)
		}))
		pages.PageSize = 10
		seen := map[string]bool{}
		require.NoError(t, pages.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
			seen[o.(*corev1.ConfigMap).Name] = true
			return nil
		}))
		assert.Len(t, seen, n)

		require.NoError(t, maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd=true"}))
		left, err := maps.List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		assert.Len(t, left.Items, n/2+1)
		one, err := maps.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=m4"})
		require.NoError(t, err)
		assert.Len(t, one.Items, 1)
	})
}

// The dynamic client works with a kind for which it has no Go type: objects, status, selectors, errors.
func TestDynamicClient(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		objects := h.dynamic(t).Resource(siteResource).Namespace(metav1.NamespaceDefault)

		made, err := objects.Create(ctx, loose(t, newSite("blog", "Notes")), metav1.CreateOptions{})
		require.NoError(t, err)
		theme, _, _ := unstructured.NestedString(made.Object, "spec", "theme")
		assert.Equal(t, "light", theme, "defaulted")
		assert.Equal(t, int64(1), made.GetGeneration())

		_, err = objects.Create(ctx, loose(t, newSite("empty", "")), metav1.CreateOptions{})
		assert.True(t, apierrors.IsInvalid(err), "%v", err)

		require.NoError(t, unstructured.SetNestedField(made.Object, "/blog", "status", "page"))
		require.NoError(t, unstructured.SetNestedField(made.Object, "ignored", "spec", "title"))
		shown, err := objects.UpdateStatus(ctx, made, metav1.UpdateOptions{})
		require.NoError(t, err)
		title, _, _ := unstructured.NestedString(shown.Object, "spec", "title")
		page, _, _ := unstructured.NestedString(shown.Object, "status", "page")
		assert.Equal(t, "Notes /blog", title+" "+page, "a write to the status changes no other field")
		assert.Equal(t, int64(1), shown.GetGeneration())

		_, err = objects.Patch(ctx, "blog", types.MergePatchType, []byte(`{"spec":{"theme":"dark"}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		dark, err := objects.List(ctx, metav1.ListOptions{FieldSelector: "spec.theme=dark"})
		require.NoError(t, err)
		require.Len(t, dark.Items, 1)
		assert.Equal(t, int64(2), dark.Items[0].GetGeneration())
		_, err = objects.Patch(ctx, "blog", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
		assert.True(t, apierrors.IsUnsupportedMediaType(err), "%v", err)

		require.NoError(t, objects.Delete(ctx, "blog", metav1.DeleteOptions{}))
		_, err = objects.Get(ctx, "blog", metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

// The metadata client reads and changes the metadata of any kind, and never the rest of the object.
func TestMetadataClient(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		_, err := h.typed(t).CoreV1().ConfigMaps(metav1.NamespaceDefault).Create(ctx, configMap("one"),
			metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = h.dynamic(t).Resource(siteResource).Namespace(metav1.NamespaceDefault).Create(ctx,
			loose(t, newSite("one", "One")), metav1.CreateOptions{})
		require.NoError(t, err)

		for _, kind := range []struct {
			name     string
			resource schema.GroupVersionResource
			body     string // the rest of the object's JSON
		}{
			{"built-in", corev1.SchemeGroupVersion.WithResource("configmaps"), `"data":{"a":"1"}`},
			{"custom", siteResource, `"title":"One"`},
		} {
			t.Run(kind.name, func(t *testing.T) {
				objects := h.metadata(t).Resource(kind.resource).Namespace(metav1.NamespaceDefault)
				list, err := objects.List(ctx, metav1.ListOptions{})
				require.NoError(t, err)
				require.Len(t, list.Items, 1)
				assert.Equal(t, "web", list.Items[0].Labels["app"])

				events, err := objects.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
				require.NoError(t, err)
				defer events.Stop()
				patched, err := objects.Patch(ctx, "one", types.MergePatchType,
					[]byte(`{"metadata":{"annotations":{"seen":"yes"}}}`), metav1.PatchOptions{})
				require.NoError(t, err)
				assert.Equal(t, "yes", patched.Annotations["seen"])
				event := await(t, events.ResultChan(), "the change", func(e watch.Event) bool { return e.Type == watch.Modified })
				assert.Equal(t, "yes", event.Object.(*metav1.PartialObjectMetadata).Annotations["seen"])

				whole, err := h.dynamic(t).Resource(kind.resource).Namespace(metav1.NamespaceDefault).Get(ctx, "one",
					metav1.GetOptions{})
				require.NoError(t, err)
				body, err := json.Marshal(whole)
				require.NoError(t, err)
				assert.Contains(t, string(body), kind.body, "the patch did not change the rest of the object")

				require.NoError(t, objects.Delete(ctx, "one", metav1.DeleteOptions{}))
				_, err = objects.Get(ctx, "one", metav1.GetOptions{})
				assert.True(t, apierrors.IsNotFound(err), "%v", err)
			})
		}
	})
}

func loose(t *testing.T, o any) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	require.NoError(t, err)
	return &unstructured.Unstructured{Object: content}
}
