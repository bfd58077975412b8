package etcdtest_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage/etcd"
)

const gears = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.org}
spec:
  group: example.org
  names: {plural: gears, kind: Gear}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {teeth: {type: integer, minimum: 3, default: 8}}}}}}
`

const gearPath = "/apis/example.org/v1/namespaces/default/gears"

// replica is an API with definitions over a store of its own.
type replica struct {
	*testing.T
	*rest.API
	stop func()
}

func newReplica(t *testing.T, opts etcd.Options) *replica {
	t.Helper()
	store := open(t, opts)
	api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{crd.New(crd.Options{})}}, builtin.Leases())
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	r := &replica{T: t, API: api}
	r.stop = func() {
		assert.NoError(t, api.Close())
		assert.NoError(t, store.Close())
		r.stop = func() {}
	}
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *replica) send(code int, method, path, body string) string {
	r.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type",
		map[bool]string{true: "application/merge-patch+json", false: "application/yaml"}[method == "PATCH"])
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	require.Equal(r, code, w.Code, "%s %s: %s", method, path, w.Body)
	return w.Body.String()
}

func (r *replica) gears() rest.Client[apimeta.Document] {
	r.Helper()
	gears, err := rest.ClientForResource[apimeta.Document](r.API,
		apimeta.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "gears"})
	require.NoError(r, err)
	return gears
}

// await returns when the definition of gears satisfies a condition; it is nil after its deletion.
func (r *replica) await(holds func(d *apiextensions.CustomResourceDefinition) bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), hangtest.Deadline)
	defer cancel()
	var last error
	client := resttest.Client[apiextensions.CustomResourceDefinition](r.T, r.API)
	page, err := client.List(ctx, rest.ListOptions{})
	require.NoError(r, err)
	if len(page.Items) == 0 && holds(nil) || len(page.Items) == 1 && holds(page.Items[0]) {
		return
	}
	for event, err := range client.Follow(ctx, rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
		if last = err; err != nil {
			break
		}
		if event.Type == "DELETED" {
			event.Object = nil
		}
		if holds(event.Object) {
			return
		}
	}
	require.NoError(r, last, "the definition never got there")
}

func established(d *apiextensions.CustomResourceDefinition) bool {
	return d != nil && d.Is(apiextensions.Established)
}

// Replicas serve the kinds of each other's definitions, and a new replica serves them at once. A watch moves between
// replicas, and a replica completes a deletion that another one began.
func TestReplicasServeTheSameDefinitions(t *testing.T) {
	opts := etcd.Options{Client: connect(t, shared), Prefix: newPrefix()}
	first, second := newReplica(t, opts), newReplica(t, opts)
	first.send(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gears)
	first.await(established)
	second.await(established)
	gear := func(name string) string {
		return `{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"` + name +
			`","finalizers":["example.org/hold"]}}`
	}
	second.send(201, "POST", gearPath, gear("a"))
	page, err := first.gears().List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	first.send(201, "POST", gearPath, gear("b"))
	first.stop()

	third := newReplica(t, opts)
	for _, address := range []string{"/apis", "/apis/example.org/v1", "/openapi/v2", "/openapi/v3/apis/example.org/v1",
		gearPath + "/a", gearPath + "/b"} {
		assert.Equal(t, second.send(200, "GET", address, ""), third.send(200, "GET", address, ""), address)
	}
	for event, err := range third.gears().Watch(t.Context(), rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
		require.NoError(t, err)
		assert.Equal(t, "ADDED b", string(event.Type)+" "+event.Object.Name)
		break
	}

	second.send(200, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.example.org", "")
	second.await(func(d *apiextensions.CustomResourceDefinition) bool {
		return d != nil && d.Is(apiextensions.Terminating)
	})
	second.stop()
	for _, name := range []string{"a", "b"} {
		third.send(200, "PATCH", gearPath+"/"+name, `{"metadata":{"finalizers":null}}`)
	}
	third.await(func(d *apiextensions.CustomResourceDefinition) bool { return d == nil })
}
