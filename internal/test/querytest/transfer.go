package querytest

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/transaction"
	"github.com/decorum-go/decorum/storage"
)

// Transfer moves sizes between crates in transactions over HTTP, on replicas with the same objects. Each list of each
// replica shows the same sum, and so does a replica that starts at the end. A transaction with a bad object, or with an
// outdated one, changes nothing.
func Transfer(t *testing.T, stores ...storage.Store) {
	const writers, transfers, crates, sum = 3, 8, 4, 100
	serve := func(store storage.Store) *http.Client {
		api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{transaction.New()}}, declared(0))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, api.Close()) })
		require.NoError(t, api.Start(t.Context()))
		return &http.Client{Transport: rest.RoundTripper(api)}
	}
	var replicas []*http.Client
	for _, store := range stores {
		replicas = append(replicas, serve(store))
	}
	send := func(replica *http.Client, method, target, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://host"+target, strings.NewReader(body))
		if !assert.NoError(t, err) {
			return 0, ""
		}
		answer, err := replica.Do(r)
		if !assert.NoError(t, err) {
			return 0, ""
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		assert.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	list := func(replica *http.Client) (all []Crate) {
		code, text := send(replica, "GET", inA, "")
		var page struct{ Items []Crate }
		if assert.Equal(t, 200, code, text) && assert.NoError(t, json.Unmarshal([]byte(text), &page)) {
			left := int64(sum)
			for _, c := range page.Items {
				left -= *c.Spec.Size
			}
			assert.Zero(t, left, "the sum has changed: %s", text)
		}
		return page.Items
	}
	item := func(name, version string, size int64) string {
		return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Crate",`+
			`"metadata":{"namespace":"a","name":%q,"resourceVersion":%q},"spec":{"size":%d}}`, name, version, size)
	}
	transact := func(replica *http.Client, items ...string) (int, string) {
		return send(replica, "POST", transaction.Path,
			`{"apiVersion":"v1","kind":"List","items":[`+strings.Join(items, ",")+`]}`)
	}

	var all []string
	for i := range crates {
		all = append(all, item(fmt.Sprint("c", i), "", sum/crates))
	}
	code, text := transact(replicas[0], all...)
	require.Equal(t, 200, code, text)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for done := 0; done < transfers && !t.Failed(); {
				now := list(replicas[(w+done)%len(replicas)])
				if len(now) != crates {
					assert.Len(t, now, crates)
					return
				}
				places := rand.Perm(crates)
				from, to := now[places[0]], now[places[1]]
				amount := rand.Int64N(10)
				code, text := transact(replicas[w%len(replicas)],
					item(from.Name, from.ResourceVersion, *from.Spec.Size-amount),
					item(to.Name, to.ResourceVersion, *to.Spec.Size+amount))
				if code == 200 {
					done++
				} else {
					assert.Equal(t, 409, code, text) // another writer was first
				}
			}
		})
	}
	wait.Wait()
	now := list(replicas[0])
	require.Len(t, now, crates)
	for body, want := range map[string]int{
		strings.Replace(item("c1", "", 0), "Crate", "Box", 1): 404,
		item("c1", "1", 0): 409,
	} {
		code, text := transact(replicas[len(replicas)-1], item("c0", now[0].ResourceVersion, 1_000), body)
		require.Equal(t, want, code, text)
	}
	for _, replica := range replicas {
		assert.Equal(t, now, list(replica))
	}
}
