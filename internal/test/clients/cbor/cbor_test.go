package cbor_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/cbor"
)

const (
	mediaOne    = "application/cbor"
	mediaStream = "application/cbor-seq"
)

func TestMain(m *testing.M) {
	for _, gate := range []string{"KUBE_FEATURE_ClientsAllowCBOR", "KUBE_FEATURE_ClientsPreferCBOR"} {
		if err := os.Setenv(gate, "true"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Lamp is a custom kind with integers, floats and a field of any type.
type Lamp struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               LampSpec `json:"spec"`
}

type LampSpec struct {
	Watts  int64          `json:"watts"`
	Warmth float64        `json:"warmth,omitempty"`
	Extra  map[string]any `json:"extra,omitempty"`
}

var lamps = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "lamps"}

// host is an API that records the media types of requests, except patches, and of responses.
type host struct {
	config *clientrest.Config
	mu     sync.Mutex
	media  map[string]string
}

func newHost(t *testing.T) *host {
	h := &host{media: map[string]string{}}
	api, err := rest.New(rest.Options{CBOR: cbor.Format()}, k8s.Resource[corev1.ConfigMap](),
		rest.Resource[Lamp]{Group: "example.com", Version: "v1", Plural: "lamps"})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noted := &notedWriter{ResponseWriter: w, note: func() { h.note(r, w.Header().Get("Content-Type")) }}
		if r.ContentLength > 0 && r.Method != http.MethodPatch {
			h.note(r, r.Header.Get("Content-Type"))
		}
		api.ServeHTTP(noted, r)
	}))
	t.Cleanup(func() {
		require.NoError(t, api.Close())
		server.Close()
	})
	h.config = &clientrest.Config{Host: server.URL, QPS: -1}
	return h
}

func (h *host) note(r *http.Request, media string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.media[media] = r.Method + " " + r.URL.String()
}

type notedWriter struct {
	http.ResponseWriter
	note func()
}

func (w *notedWriter) WriteHeader(code int) {
	w.note()
	w.ResponseWriter.WriteHeader(code)
}

func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// assertAllCBOR fails if any other media type was used, also in watches.
func (h *host) assertAllCBOR(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	assert.Contains(t, h.media, mediaOne)
	assert.Contains(t, h.media, mediaStream)
	for media, request := range h.media {
		assert.True(t, strings.HasPrefix(media, mediaOne), "%q: %s", media, request)
	}
}

func TestDynamicClient(t *testing.T) {
	h := newHost(t)
	client, err := dynamic.NewForConfig(h.config)
	require.NoError(t, err)
	ctx, in := t.Context(), client.Resource(lamps).Namespace("default")
	events, err := in.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer events.Stop()

	lamp := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"watts": int64(1) << 53, "warmth": 0.1,
			"extra": map[string]any{"list": []any{int64(1), "two", 3.5, nil, true}}},
	}}
	lamp.SetLabels(map[string]string{"room": "hall"})
	made, err := in.Create(ctx, lamp, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, lamp.Object["spec"], made.Object["spec"])
	e := <-events.ResultChan()
	assert.Equal(t, watch.Added, e.Type)
	assert.Equal(t, made, e.Object)

	_, err = in.Create(ctx, lamp, metav1.CreateOptions{})
	assert.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: "room=hall"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	assert.Equal(t, *made, list.Items[0])

	require.NoError(t, unstructured.SetNestedField(made.Object, int64(5), "spec", "watts"))
	updated, err := in.Update(ctx, made, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = in.Update(ctx, made, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	patched, err := in.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"warmth":2}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	warmth, _, _ := unstructured.NestedFieldNoCopy(patched.Object, "spec", "warmth")
	assert.EqualValues(t, 2, warmth)
	for _, want := range []*unstructured.Unstructured{updated, patched} {
		e := <-events.ResultChan()
		assert.Equal(t, watch.Modified, e.Type)
		assert.Equal(t, want, e.Object)
	}

	applied, err := in.Apply(ctx, "a", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"extra": map[string]any{"applied": true}},
	}}, metav1.ApplyOptions{FieldManager: "tests"})
	require.NoError(t, err)
	isThere, _, _ := unstructured.NestedBool(applied.Object, "spec", "extra", "applied")
	assert.True(t, isThere)
	assert.Equal(t, applied, (<-events.ResultChan()).Object)

	uid := types.UID("other")
	err = in.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, in.Delete(ctx, "a", metav1.DeleteOptions{}))
	assert.Equal(t, watch.Deleted, (<-events.ResultChan()).Type)
	_, err = in.Get(ctx, "a", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	h.assertAllCBOR(t)
}

func TestTypedClient(t *testing.T) {
	h := newHost(t)
	h.config.ContentType, h.config.AcceptContentTypes = mediaOne, mediaOne
	client, err := kubernetes.NewForConfig(h.config)
	require.NoError(t, err)
	ctx, maps := t.Context(), client.CoreV1().ConfigMaps("default")
	events, err := maps.Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	defer events.Stop()

	made, err := maps.Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "ü"},
			BinaryData: map[string][]byte{"b": {0, 0xff}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0xff}, made.BinaryData["b"])
	assert.False(t, made.CreationTimestamp.IsZero())
	e := <-events.ResultChan()
	assert.Equal(t, watch.Added, e.Type)
	assert.Equal(t, made.UID, e.Object.(*corev1.ConfigMap).UID)
	assert.Equal(t, made.BinaryData, e.Object.(*corev1.ConfigMap).BinaryData)

	list, err := maps.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	assert.Equal(t, made.Data, list.Items[0].Data)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "A"}}, metav1.CreateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
	require.NoError(t, maps.Delete(ctx, "a", metav1.DeleteOptions{}))
	assert.Equal(t, watch.Deleted, (<-events.ResultChan()).Type)
	h.assertAllCBOR(t)
}
