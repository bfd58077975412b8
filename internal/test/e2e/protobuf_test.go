package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const mediaProtobuf = "application/vnd.kubernetes.protobuf"

// The typed clients of client-go, as controllers use them, send and receive only Protobuf, including watches, at the
// root of a server and below a prefix.
func TestTypedClient(t *testing.T) {
	cases := []struct {
		name string
		run  func(t *testing.T, client kubernetes.Interface)
	}{
		{"configmaps", typedConfigMaps},
		{"leases", typedLeases},
		{"watch", typedWatch},
		{"informer", typedInformer},
	}
	for _, h := range []host{rootHost, prefixHost} {
		t.Run(h.name(), func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					s := startServer(t, h, newest())
					wire := &recorder{}
					client, err := kubernetes.NewForConfig(&rest.Config{
						Host: s.url,
						ContentConfig: rest.ContentConfig{ContentType: mediaProtobuf,
							AcceptContentTypes: mediaProtobuf + ",application/json"},
						WrapTransport: wire.wrap,
					})
					require.NoError(t, err)
					c.run(t, client)
					wire.assertOnly(t, mediaProtobuf)
				})
			}
		})
	}
}

// Aggregated discovery in Protobuf says what it says in JSON.
func TestAggregatedDiscoveryInProtobuf(t *testing.T) {
	const form = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	s := startServer(t, rootHost, newest())
	scheme := runtime.NewScheme()
	require.NoError(t, apidiscoveryv2.AddToScheme(scheme))
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	for _, path := range []string{"/api", "/apis"} {
		read := func(media string) *apidiscoveryv2.APIGroupDiscoveryList {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			require.NoError(t, err)
			r.Header.Set("Accept", media+form)
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer answer.Body.Close()
			require.Equal(t, http.StatusOK, answer.StatusCode)
			assert.Equal(t, media+form, answer.Header.Get("Content-Type"))
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			obj, _, err := decoder.Decode(body, nil, nil)
			require.NoError(t, err)
			require.IsType(t, &apidiscoveryv2.APIGroupDiscoveryList{}, obj)
			return obj.(*apidiscoveryv2.APIGroupDiscoveryList)
		}
		want := read("application/json")
		assert.NotEmpty(t, want.Items)
		for _, media := range []string{mediaProtobuf, "application/yaml"} {
			got := read(media)
			got.TypeMeta = want.TypeMeta // typed decoders of Protobuf drop it
			assert.Equal(t, want, got, media)
		}
	}
}

func typedConfigMaps(t *testing.T, client kubernetes.Interface) {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	made, err := configMaps.Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "red"}},
		Data:       map[string]string{"colour": "red"}, BinaryData: map[string][]byte{"logo": {0xff, 0}},
	}, metav1.CreateOptions{FieldManager: "tests"})
	require.NoError(t, err)
	assert.NotEmpty(t, made.UID)
	assert.NotEmpty(t, made.ResourceVersion)
	assert.False(t, made.CreationTimestamp.IsZero())

	got, err := configMaps.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, made, got)
	assert.Equal(t, []byte{0xff, 0}, got.BinaryData["logo"])

	got.Data["colour"] = "blue"
	updated, err := configMaps.Update(t.Context(), got, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "blue", updated.Data["colour"])
	_, err = configMaps.Update(t.Context(), made, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "%v", err)

	patched, err := configMaps.Patch(t.Context(), "a", types.StrategicMergePatchType,
		[]byte(`{"data":{"colour":null,"size":"1"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"size": "1"}, patched.Data)

	_, err = configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "b-"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	list, err := configMaps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 2)
	assert.Equal(t, *patched, list.Items[0])
	red, err := configMaps.List(t.Context(), metav1.ListOptions{LabelSelector: "team=red", Limit: 1})
	require.NoError(t, err)
	assert.Len(t, red.Items, 1)

	_, err = configMaps.Get(t.Context(), "none", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = configMaps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "A"}},
		metav1.CreateOptions{})
	assert.True(t, apierrors.IsInvalid(err), "%v", err)

	other := types.UID("other")
	err = configMaps.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, configMaps.Delete(t.Context(), "a", *metav1.NewPreconditionDeleteOptions(string(made.UID))))
	require.NoError(t, configMaps.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	list, err = configMaps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, list.Items)
}

func typedLeases(t *testing.T, client kubernetes.Interface) {
	leases := client.CoordinationV1().Leases(namespace)
	me, seconds, now := "me", int32(15), metav1.NowMicro()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "leader"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &me, LeaseDurationSeconds: &seconds, AcquireTime: &now,
			RenewTime: &now}}
	held, err := leases.Create(t.Context(), lease, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, now.UnixMicro(), held.Spec.RenewTime.UnixMicro(), "microseconds arrive")

	later := metav1.NowMicro()
	held.Spec.RenewTime = &later
	renewed, err := leases.Update(t.Context(), held, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = leases.Update(t.Context(), held, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err), "a client with an old version cannot renew: %v", err)
	got, err := leases.Get(t.Context(), "leader", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, renewed, got)
	require.NoError(t, leases.Delete(t.Context(), "leader", metav1.DeleteOptions{}))
}

func typedWatch(t *testing.T, client kubernetes.Interface) {
	configMaps := client.CoreV1().ConfigMaps(namespace)
	list, err := configMaps.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	w, err := configMaps.Watch(t.Context(),
		metav1.ListOptions{ResourceVersion: list.ResourceVersion, LabelSelector: "team=red"})
	require.NoError(t, err)
	defer w.Stop()

	made, err := configMaps.Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "red"}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, watch.Event{Type: watch.Added, Object: made}, <-w.ResultChan())
	changed, err := configMaps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"k":"v"}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, watch.Event{Type: watch.Modified, Object: changed}, <-w.ResultChan())
	_, err = configMaps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"team":"blue"}}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	gone := <-w.ResultChan()
	assert.Equal(t, watch.Deleted, gone.Type, "the selector no longer matches")
	assert.Equal(t, "red", gone.Object.(*corev1.ConfigMap).Labels["team"])

	expired, err := configMaps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	if err == nil {
		defer expired.Stop()
		event := <-expired.ResultChan()
		require.Equal(t, watch.Error, event.Type)
		err = apierrors.FromObject(event.Object)
	}
	assert.True(t, apierrors.IsResourceExpired(err) || apierrors.IsGone(err), "%v", err)
}

func typedInformer(t *testing.T, client kubernetes.Interface) {
	accounts := client.CoreV1().ServiceAccounts(namespace)
	create := func(name string) {
		_, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		require.NoError(t, err)
	}
	create("early")
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ServiceAccounts()
	seen := make(chan string, 100)
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen <- "added " + team(o) },
		DeleteFunc: func(o any) { seen <- "deleted " + team(o) },
	})
	require.NoError(t, err)
	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)
	awaitEvent(t, seen, "added early ")
	require.True(t, cache.WaitForCacheSync(stop, informer.Informer().HasSynced))
	create("late")
	awaitEvent(t, seen, "added late ")
	require.NoError(t, accounts.Delete(t.Context(), "early", metav1.DeleteOptions{}))
	awaitEvent(t, seen, "deleted early ")
	_, err = informer.Lister().ServiceAccounts(namespace).Get("late")
	require.NoError(t, err)
}

// recorder records the media types of requests and responses.
type recorder struct {
	next  http.RoundTripper
	mu    sync.Mutex
	media map[string]string // a request with each media type
}

func (r *recorder) wrap(next http.RoundTripper) http.RoundTripper {
	r.next, r.media = next, map[string]string{}
	return r
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := r.next.RoundTrip(req)
	if err == nil {
		r.note(req, answer.Header)
		// A patch has a media type of its own.
		if req.Body != nil && req.Method != http.MethodPatch {
			r.note(req, req.Header)
		}
	}
	return answer, err
}

func (r *recorder) note(req *http.Request, header http.Header) {
	media, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.media[media] = req.Method + " " + req.URL.Path
}

func (r *recorder) assertOnly(t *testing.T, media string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for other, request := range r.media {
		assert.Equal(t, media, other, request)
	}
	assert.NotEmpty(t, r.media)
}
