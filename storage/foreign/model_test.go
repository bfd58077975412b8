package foreign_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage/foreign"
)

// mirror is what one client knows of the orders, from a list and a watch after it.
type mirror struct {
	mu   sync.Mutex
	rows map[string]OrderSpec
}

// follow keeps the mirror up to date until the context ends. It watches again from where it was after some events.
func (m *mirror) follow(ctx context.Context, t *testing.T, client rest.Client[Order], random *rand.Rand) {
	page, err := client.List(ctx, rest.ListOptions{})
	if !assert.NoError(t, err) {
		return
	}
	m.mu.Lock()
	m.rows = map[string]OrderSpec{}
	for _, row := range page.Items {
		m.rows[row.Name] = row.Spec
	}
	m.mu.Unlock()
	for version := page.ResourceVersion; ctx.Err() == nil; {
		left := 1 + random.IntN(10)
		for event, err := range client.Watch(ctx, rest.WatchOptions{ResourceVersion: version}) {
			if ctx.Err() != nil {
				return
			}
			if !assert.NoError(t, err) {
				return
			}
			m.apply(t, event)
			version = event.Object.ResourceVersion
			if left--; left == 0 {
				break
			}
		}
	}
}

func (m *mirror) apply(t *testing.T, event rest.Event[Order]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.rows[event.Object.Name]
	assert.Equal(t, known, event.Type != apimeta.EventAdded, "%s %s", event.Type, event.Object.Name)
	if event.Type == apimeta.EventDeleted {
		delete(m.rows, event.Object.Name)
		return
	}
	m.rows[event.Object.Name] = event.Object.Spec
}

func (m *mirror) state() map[string]OrderSpec {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.rows)
}

// wanted is what clients should see of a shop.
func (s *shop) wanted() map[string]OrderSpec {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]OrderSpec{}
	for name, row := range s.rows {
		row.Spec.Currency = "EUR"
		out[name] = row.Spec
	}
	return out
}

// model changes a shop at random, directly and through the API, and compares what clients see.
func model(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	shop, source := newShop("a", "b"), foreign.Source[Order]{}
	source = shop.writable()
	var changed chan foreign.Name
	if seed%2 == 1 {
		source.Get = shop.get
	}
	if seed%3 == 1 {
		source.Version = shop.versionNow
	}
	if seed%3 == 2 {
		changed = make(chan foreign.Name)
		source.Changed = changed
	}
	s := open(t, source, rest.Options{})
	defer s.close()
	client, err := rest.ClientForType[Order](s.api)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var following sync.WaitGroup
	defer following.Wait()
	defer stop()
	over := overHTTP(t, s.api)
	mirrors := make([]mirror, 4)
	for i := range mirrors {
		following.Go(func() {
			follower := client.Namespace("default")
			if i%2 == 1 {
				follower = over.Namespace("default")
			}
			mirrors[i].follow(ctx, t, follower, rand.New(rand.NewPCG(seed, uint64(i))))
		})
	}
	synctest.Wait()
	for step := range 60 {
		name, cents := fmt.Sprint("o", random.IntN(6)), random.Int64N(100)
		switch random.IntN(7) {
		case 0, 1:
			shop.put(name, "ann", cents)
		case 2:
			shop.remove(name)
		case 3:
			s.do("POST", orders, fmt.Sprintf(`{"apiVersion":"shop.example.com/v1","kind":"Order","metadata":{"name":%q},"spec":{"customer":"bob","cents":%d}}`, name, cents))
		case 4:
			s.patch(name, fmt.Sprintf(`{"spec":{"cents":%d}}`, cents))
		case 5:
			s.do("DELETE", orders+"/"+name, "")
		case 6:
			shop.fail(errors.New("a failure"))
			<-time.After(time.Duration(random.IntN(3000)) * time.Millisecond)
			shop.fail(nil)
		}
		if changed != nil {
			changed <- foreign.Name{Namespace: "default", Name: name}
		}
		if random.IntN(3) > 0 {
			continue
		}
		look()
		want := shop.wanted()
		for i := range mirrors {
			require.Equal(t, want, mirrors[i].state(), "client %d after step %d", i, step)
		}
		var now list
		a := s.do("GET", orders, "")
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		a.decode(t, &now)
		require.Len(t, now.Items, len(want))
	}
}

// overHTTP returns a client that sends requests over HTTP.
func overHTTP(t *testing.T, api *rest.API) rest.Client[Order] {
	t.Helper()
	client, err := rest.ClientForEndpoint(rest.Endpoint{URL: "http://host",
		HTTP: &http.Client{Transport: rest.RoundTripper(api)}}, orderKind())
	require.NoError(t, err)
	return client
}
