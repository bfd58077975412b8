package etcdtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/storage/etcd"
)

const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"

// lease is what a client sees of an object, or of a page of them.
type lease struct {
	Metadata struct{ Name, ResourceVersion, Continue string }
	Items    []lease
}

// shardServer is a replica of an API with shards.
type shardServer struct {
	*testing.T
	*httptest.Server
}

func newShardServer(t *testing.T, opts etcd.Options) shardServer {
	t.Helper()
	store := open(t, opts)
	api, err := rest.New(rest.Options{Store: store, Sharded: true}, builtin.Leases())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return shardServer{t, server}
}

// send sends a request, and returns its answer. The caller closes the body.
func (s shardServer) send(method, target, body string) *http.Response {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.URL+target, strings.NewReader(body))
	require.NoError(s, err)
	request.Header.Set("Content-Type",
		map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == http.MethodPatch])
	answer, err := s.Client().Do(request)
	require.NoError(s, err)
	require.Less(s, answer.StatusCode, 300, target)
	return answer
}

// do sends a request, and reads its answer.
func (s shardServer) do(method, target, body string) (l lease) {
	s.Helper()
	answer := s.send(method, target, body)
	defer answer.Body.Close()
	require.NoError(s, json.NewDecoder(answer.Body).Decode(&l))
	return l
}

// watch reads a number of events of a watch from a revision, and returns the last revision.
func (s shardServer) watch(target, revision string, n int) (names []string, last string) {
	s.Helper()
	answer := s.send(http.MethodGet, target+"&watch=1&resourceVersion="+revision, "")
	defer answer.Body.Close()
	events := json.NewDecoder(answer.Body)
	for range n {
		var event struct {
			Type   string
			Object lease
		}
		require.NoError(s, events.Decode(&event))
		names, last = append(names, event.Type+" "+event.Object.Metadata.Name), event.Object.Metadata.ResourceVersion
	}
	return names, last
}

// A client reads the pages of a shard from several replicas, and continues its watch on another one.
func TestShardsOfReplicas(t *testing.T) {
	opts := etcd.Options{Client: connect(t, shared), Prefix: newPrefix()}
	replicas := []shardServer{newShardServer(t, opts), newShardServer(t, opts)}
	want := map[string]bool{}
	for i := range 40 {
		name := fmt.Sprintf("lease-%02d", i)
		want[name] = true
		replicas[i%2].do(http.MethodPost, leases,
			`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"`+name+`"}}`)
	}
	for _, bounds := range []string{
		"'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'",
	} {
		shard := leases + "?shardSelector=" + url.QueryEscape("shardRange(object.metadata.uid, "+bounds+")")
		var names []string
		var revision, token string
		for i := 0; i == 0 || token != ""; i++ {
			page := replicas[i%2].do(http.MethodGet, shard+"&limit=2&continue="+url.QueryEscape(token), "")
			revision, token = page.Metadata.ResourceVersion, page.Metadata.Continue
			for _, item := range page.Items {
				names = append(names, item.Metadata.Name)
			}
		}
		require.Greater(t, len(names), 2, "40 random uids are in both shards")
		var changes []string
		for i, name := range names {
			delete(want, name)
			changes = append(changes, "MODIFIED "+name)
			replicas[i%2].do(http.MethodPatch, leases+"/"+name, `{"spec":{"holderIdentity":"a"}}`)
		}
		first, last := replicas[0].watch(shard, revision, 1)
		others, _ := replicas[1].watch(shard, last, len(changes)-1)
		assert.Equal(t, changes, append(first, others...))
	}
	assert.Empty(t, want, "each object is in a shard")
}
