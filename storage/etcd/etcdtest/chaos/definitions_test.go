package chaos_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	gearsPath       = "/apis/example.org/v1/namespaces/default/gears"
	// creators is how many clients create gears through each replica.
	creators = 8
)

func gearsDefinition() map[string]any {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gears.example.org"},
		"spec": map[string]any{
			"group": "example.org", "scope": "Namespaced", "names": map[string]any{"plural": "gears", "kind": "Gear"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": open}}},
		},
	}
}

func gear(name string) map[string]any {
	return map[string]any{"apiVersion": "example.org/v1", "kind": "Gear", "metadata": map[string]any{"name": name}}
}

// Clients create objects of a definition through three replicas, one of which is suspended while another one deletes
// the definition. When it wakes up, its requests that were under way create nothing: etcd holds no object of the kind,
// and the next definition of the name begins empty. There are two suspensions, or one for every ten faults of
// DECORUM_TORTURE.
func TestDefinitionsAreDeletedWhileAReplicaSleeps(t *testing.T) {
	t.Parallel()
	f := newFleet(t, replicaCount, etcdtest.Options{})
	f.create(0, "first")
	for round := range max(2, int(number(t, "DECORUM_TORTURE", 0))/10) {
		sleeper, deleter := f.replicas[round%replicaCount], f.replicas[(round+1)%replicaCount]
		f.insist(http.MethodPost, deleter.url+definitionsPath, gearsDefinition(), http.StatusCreated)
		for _, r := range f.replicas {
			f.insist(http.MethodGet, r.url+gearsPath, nil, http.StatusOK)
		}
		ctx, stop := context.WithCancel(t.Context())
		var creating sync.WaitGroup
		var created atomic.Int64
		ticks := make(chan struct{})
		for i, r := range f.replicas {
			for j := range creators {
				creating.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						a := send(t.Context(), http.MethodPost, r.url+gearsPath, gear(fmt.Sprintf("g-%d-%d-%d-%d", round, i, j, n)))
						if a.code == http.StatusCreated {
							created.Add(1)
							select {
							case ticks <- struct{}{}:
							default:
							}
						}
					}
				})
			}
		}
		for range 100 {
			<-ticks
		}
		sleeper.pause()
		f.insist(http.MethodDelete, deleter.url+definitionsPath+"/gears.example.org", nil, http.StatusOK)
		f.insist(http.MethodGet, deleter.url+definitionsPath+"/gears.example.org", nil, http.StatusNotFound)
		sleeper.resume()
		f.insist(http.MethodGet, sleeper.url+definitionsPath+"/gears.example.org", nil, http.StatusNotFound)
		stop()
		creating.Wait()
		t.Logf("round %d: %d objects created", round, created.Load())
		assert.Empty(t, f.gearsInEtcd(), "round %d", round)
	}
	f.insist(http.MethodPost, f.replicas[0].url+definitionsPath, gearsDefinition(), http.StatusCreated)
	f.insist(http.MethodGet, f.replicas[0].url+gearsPath, nil, http.StatusOK)
	assert.Empty(t, send(t.Context(), http.MethodGet, f.replicas[0].url+gearsPath, nil).list().Items)
	f.complete()
}

// insist sends a request until the answer has a code.
func (f *fleet) insist(method, url string, body any, code int) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), patience)
	defer cancel()
	for {
		a := send(ctx, method, url, body)
		if a.code == code {
			return
		}
		require.NoError(f, ctx.Err(), "%s %s: %d %s", method, url, a.code, a.body)
	}
}

// gearsInEtcd returns the keys of the gears that etcd holds.
func (f *fleet) gearsInEtcd() (keys []string) {
	f.Helper()
	got, err := f.client.Get(f.Context(), prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	require.NoError(f, err)
	for _, kv := range got.Kvs {
		if strings.Contains(string(kv.Key), "/g-") {
			keys = append(keys, string(kv.Key))
		}
	}
	return keys
}
