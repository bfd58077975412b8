package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// Clients outlive a store in memory. The next store starts at the clock, and the previous one may have been ahead of
// the clock. No client may continue with the state of an earlier store, and none may wait silently.
func TestRestarts(t *testing.T) {
	var lives lives
	server := httptest.NewServer(&lives)
	defer server.Close()
	lives.begin(t, 0)
	defer func() { lives.end(t, lives.now.Load()) }()

	ctx, stop := context.WithCancel(t.Context())
	var outliving sync.WaitGroup
	defer outliving.Wait()
	defer stop()
	var clients []*resumer
	for i := range 8 {
		client := newResumer(&caller{client: server.Client(), root: server.URL, older: i%2 == 1})
		client.watchList = i%4 < 2
		clients = append(clients, client)
		outliving.Go(func() { assert.NoError(t, client.run(ctx), "client %d", i) })
	}

	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	count := 0
	for began := time.Now(); count < 4 || time.Since(began) < lasting(t, ofChapter) && !t.Failed(); count++ {
		want := lives.write(t, random, count)
		deadline := time.Now().Add(patience)
		for i, client := range clients {
			require.NoError(t, client.shows(want, deadline), "life %d, client %d", count, i)
		}
		before := lives.now.Load()
		start := watch.Revision(0) // the clock, which is behind the previous store
		if count%2 == 0 {
			start = watch.Revision(time.Now().Add(time.Hour).UnixMicro())
		}
		lives.begin(t, start)
		lives.end(t, before)
	}
	var expired, tooLarge int64
	for _, client := range clients {
		expired, tooLarge = expired+client.expired.Load(), tooLarge+client.tooLarge.Load()
	}
	t.Logf("%d lives; %d clients got 410 %d times, and 504 %d times", count, len(clients), expired, tooLarge)
	require.NotZero(t, expired)
	require.NotZero(t, tooLarge)
}

// lives is a server that serves one API after another. Each is one life.
type lives struct{ now atomic.Pointer[life] }

type life struct {
	api   *rest.API
	store *memory.Store
}

func (l *lives) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.now.Load().api.ServeHTTP(w, r) }

func (l *lives) begin(t *testing.T, start watch.Revision) {
	store := memory.New(storage.Options{Start: start, MaxWait: 20 * time.Millisecond})
	api, err := rest.New(rest.Options{Store: store}, gadgetDefinition())
	require.NoError(t, err)
	l.now.Store(&life{api, store})
}

func (l *lives) end(t *testing.T, of *life) {
	require.NoError(t, of.api.Close())
	require.NoError(t, of.store.Close())
}

// write creates, changes and deletes a few Gadgets and returns their counts.
func (l *lives) write(t *testing.T, random *rand.Rand, life int) map[string]int64 {
	client := resttest.Client[Gadget](t, l.now.Load().api).Namespace("a")
	counts := map[string]int64{}
	for range 60 {
		name := poolName(random.IntN(8))
		_, there := counts[name]
		var err error
		switch {
		case !there:
			g := newGadget(name)
			g.Spec.Count = int64(1000 * (life + 1)) // differs in every life
			counts[name] = g.Spec.Count
			_, err = client.Create(t.Context(), g)
		case random.IntN(3) == 0:
			delete(counts, name)
			err = client.Delete(t.Context(), name, rest.DeleteOptions{})
		default:
			counts[name]++
			_, err = client.Modify(t.Context(), name, func(g *Gadget) error { g.Spec.Count = counts[name]; return nil })
		}
		require.NoError(t, err)
	}
	return counts
}

// resumer tracks all Gadgets: it resumes after the last event it saw, and starts over when the server rejects that.
type resumer struct {
	caller            *caller
	watchList         bool // it starts with a WatchList
	metadata          bool // it requests only metadata, and uses the generation as the count
	expired, tooLarge atomic.Int64

	mu      sync.Mutex
	counts  map[string]int64
	arrived chan struct{}
}

func newResumer(c *caller) *resumer { return &resumer{caller: c, arrived: make(chan struct{}, 1)} }

func (r *resumer) run(ctx context.Context) error {
	at := uint64(0)
	for ctx.Err() == nil {
		var err error
		if at == 0 && !r.watchList {
			at, err = r.list()
		}
		if err == nil {
			at, err = r.watch(ctx, at)
		}
		switch {
		case status.IsExpired(err):
			r.expired.Add(1)
			at = 0
		case status.IsTooLargeResourceVersion(err):
			r.tooLarge.Add(1)
			at = 0
		case err != nil && ctx.Err() == nil && !status.IsServiceUnavailable(err):
			return err
		}
	}
	return nil
}

func (r *resumer) list() (uint64, error) {
	accept := mediaJSON
	if r.metadata {
		accept = mediaMetas
	}
	l, err := r.caller.list(selector{}, url.Values{}, accept)
	if err != nil {
		return 0, err
	}
	counts := map[string]int64{}
	for _, g := range l.Items {
		counts[g.Name] = r.count(&g)
	}
	r.know(counts)
	return revisionOf(l.Metadata.ResourceVersion), nil
}

func (r *resumer) count(g *Gadget) int64 {
	if r.metadata {
		return g.Generation
	}
	return g.Spec.Count
}

// know replaces the known state.
func (r *resumer) know(counts map[string]int64) {
	r.mu.Lock()
	r.counts = counts
	r.mu.Unlock()
	r.wake()
}

func (r *resumer) wake() {
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// watch continues after a revision, or starts with the existing objects, and returns the revision that it reached.
func (r *resumer) watch(ctx context.Context, at uint64) (uint64, error) {
	query := url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"}}
	var initial map[string]int64
	if at > 0 {
		query.Set("resourceVersion", strconv.FormatUint(at, 10))
	} else {
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
		initial = map[string]int64{}
	}
	accept := mediaJSON
	if r.metadata {
		accept = mediaMeta
	}
	body, err := r.caller.open(ctx, "GET", path("", ""), query, mediaJSON, accept, nil)
	if err != nil {
		return at, err
	}
	defer func() { _ = body.Close() }()
	for decoder := json.NewDecoder(body); ; {
		var e apimeta.WatchEvent
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) || err != nil && ctx.Err() != nil {
			return at, nil
		} else if err != nil {
			return at, err
		}
		if e.Type == apimeta.EventError {
			err := asError(e.Object)
			if status.IsTooLargeResourceVersion(err) {
				return at, fmt.Errorf("the API must reject a watch from a future revision before the stream begins: %s", e.Object)
			}
			return at, err
		}
		var g Gadget
		if err := json.Unmarshal(r.caller.hear(e.Object), &g); err != nil {
			return at, err
		}
		switch {
		case initial != nil && e.Type == apimeta.EventBookmark:
			r.know(initial)
			initial = nil
		case initial != nil:
			initial[g.Name] = r.count(&g)
			continue
		default:
			r.see(e.Type, &g)
		}
		at = revisionOf(g.ResourceVersion)
	}
}

func (r *resumer) see(event apimeta.EventType, g *Gadget) {
	r.mu.Lock()
	switch event {
	case apimeta.EventBookmark:
	case apimeta.EventDeleted:
		delete(r.counts, g.Name)
	default:
		r.counts[g.Name] = r.count(g)
	}
	r.mu.Unlock()
	r.wake()
}

// shows waits until the client knows exactly the expected state.
func (r *resumer) shows(want map[string]int64, deadline time.Time) error {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for {
		r.mu.Lock()
		got := maps.Clone(r.counts)
		r.mu.Unlock()
		if maps.Equal(got, want) {
			return nil
		}
		select {
		case <-r.arrived:
		case <-timer.C:
			return fmt.Errorf("no watch may be silent after a restart: the client knows %v, want %v", got, want)
		}
	}
}
