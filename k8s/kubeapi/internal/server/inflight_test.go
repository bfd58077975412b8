package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// slowStore makes requests for objects of the name "slow" wait.
type slowStore struct {
	storage.Store
	entered, release chan struct{}
}

func (s *slowStore) wait(key storage.Key) {
	if key.Name == "slow" {
		s.entered <- struct{}{}
		<-s.release
	}
}

func (s *slowStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	s.wait(key)
	return s.Store.Get(ctx, key, atLeast)
}

func (s *slowStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	s.wait(key)
	return s.Store.Update(ctx, key, fn)
}

func (s *slowStore) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	for _, key := range keys {
		s.wait(key)
	}
	return s.Store.UpdateAll(ctx, keys, fn)
}

// Without flow control, reads and writes have limits of their own, as in kube-apiserver. An administrator gets an
// answer beyond them.
func TestRequestsInFlight(t *testing.T) {
	store := &slowStore{memory.New(storage.Options{}), make(chan struct{}), make(chan struct{})}
	s := newServer(t, func(c *server.Config) {
		usersOfFlows(c)
		c.Store, c.NoFlowControl, c.MaxReads, c.MaxWrites, c.AllowAll = store, true, 2, 1, true
	})
	const maps = "/api/v1/namespaces/default/configmaps"
	ask := func(method, path, token string) *httptest.ResponseRecorder {
		body := ""
		if method == http.MethodPost {
			body = `{"metadata":{"name":"` + strings.TrimPrefix(path, maps+"/") + `"}}`
			path = maps
		}
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	var running sync.WaitGroup
	hold := func(method string) {
		running.Go(func() { ask(method, maps+"/slow", "jane") })
		<-store.entered
	}
	hold(http.MethodPost)
	refused := ask(http.MethodPost, maps+"/a", "jane")
	assert.Equal(t, http.StatusTooManyRequests, refused.Code)
	assert.Equal(t, "1", refused.Header().Get("Retry-After"))
	assert.Equal(t, http.StatusTooManyRequests, ask(http.MethodDelete, maps+"/a", "jane").Code)
	assert.Equal(t, http.StatusCreated, ask(http.MethodPost, maps+"/of-root", "root").Code)
	assert.Equal(t, http.StatusOK, ask(http.MethodGet, maps, "jane").Code, "reads have places left")
	hold(http.MethodGet)
	assert.Equal(t, http.StatusOK, ask(http.MethodGet, maps, "jane").Code, "the second of two places")
	hold(http.MethodGet)
	assert.Equal(t, http.StatusTooManyRequests, ask(http.MethodGet, maps, "jane").Code)
	assert.Equal(t, http.StatusOK, ask(http.MethodGet, maps, "root").Code)
	assert.Equal(t, http.StatusOK, ask(http.MethodGet, "/readyz", "").Code)
	close(store.release)
	running.Wait()
	assert.Equal(t, http.StatusOK, ask(http.MethodGet, maps, "jane").Code)
	assert.Equal(t, http.StatusCreated, ask(http.MethodPost, maps+"/a", "jane").Code)
}

// With flow control, the seats of all levels are as many as both limits together.
func TestSeatsOfFlowControl(t *testing.T) {
	s := newServer(t, func(c *server.Config) {
		usersOfFlows(c)
		c.MaxReads, c.MaxWrites = 1000, 230
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer root")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(),
		`apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 503`+"\n",
		"1230 seats, and 100 of 245 shares")
}
