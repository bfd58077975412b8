package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// The server builds each list of an old state. Many clients that read old states of one kind must not delay a list of
// another kind: while the server answers that list, it may finish only a few of the others.
func TestOldLists(t *testing.T) {
	const clients, objects, changes = 32, 3000, 9000
	memory := memory.New(storage.Options{})
	api, err := rest.New(rest.Options{Store: memory}, gadgetDefinition(), noiseDefinition())
	require.NoError(t, err)
	defer func() {
		require.NoError(t, api.Close())
		require.NoError(t, memory.Close())
	}()
	// change makes the nth change of a kind: it sets the count of the object n modulo objects to n.
	change := func(key storage.Key, n int) {
		_, err := memory.Update(t.Context(), key, func(*storage.Record) ([]byte, error) {
			return fmt.Appendf(nil,
				`{"apiVersion":"%s/v1","kind":"Gadget","metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":"","generation":1},"spec":{"count":%d}}`, group, key.Name, key.Namespace, key.Name, n), nil
		})
		require.NoError(t, err)
	}
	base := memory.Revision()
	for n := range changes {
		change(keyOf("a", fmt.Sprintf("%05d", n%objects)), n)
		change(storage.Key{Resource: noises, Name: "noise"}, n)
	}
	first := func(c *caller, path string, revision watch.Revision) (int64, error) {
		var l listing
		query := url.Values{"limit": {"1"}, "resourceVersionMatch": {"Exact"},
			"resourceVersion": {strconv.FormatUint(uint64(revision), 10)}}
		if err := c.do("GET", path, query, mediaJSON, mediaJSON, nil, &l); err != nil {
			return 0, err
		}
		if len(l.Items) == 0 {
			return 0, fmt.Errorf("no object at %d", revision)
		}
		return l.Items[0].Spec.Count, nil
	}

	ctx, stop := context.WithCancel(t.Context())
	var listing sync.WaitGroup
	defer listing.Wait()
	defer stop()
	var answered, refused atomic.Int64
	caller := &caller{client: &http.Client{Transport: rest.RoundTripper(api)}, root: "http://in.process"}
	for i := range clients {
		random := rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))
		listing.Go(func() {
			for ctx.Err() == nil {
				n := objects + random.IntN(changes-objects-1)
				count, err := first(caller, path("a", ""), base+watch.Revision(2*n+1))
				if status.IsTooManyRequests(err) {
					refused.Add(1)
					continue
				}
				if !assert.NoError(t, err) || !assert.EqualValues(t, n-n%objects, count, "the state after %d changes", n) {
					return
				}
				answered.Add(1)
			}
		})
	}
	var meanwhile []int64
	random := rand.New(rand.NewPCG(rand.Uint64(), clients))
	for began := time.Now(); len(meanwhile) < 20 || time.Since(began) < lasting(t, ofChapter) && !t.Failed(); {
		before := answered.Load()
		n := random.IntN(changes)
		count, err := first(caller, collection+"noises", base+watch.Revision(2*n+2))
		require.NoError(t, err)
		require.EqualValues(t, n, count)
		meanwhile = append(meanwhile, answered.Load()-before)
	}
	slices.Sort(meanwhile)
	t.Logf("%d lists beside %d of another kind (%d rejected): a median of %d of those were answered meanwhile, at most %d",
		len(meanwhile), answered.Load(), refused.Load(), meanwhile[len(meanwhile)/2], meanwhile[len(meanwhile)-1])
	require.Less(t, meanwhile[len(meanwhile)/2], int64(clients/4), "a list waits for lists of another kind")
}
