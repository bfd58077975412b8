package quota_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// Writers that compete for the last places get exactly those, through two APIs over one store.
func TestConcurrentWriters(t *testing.T) {
	const writers, each, places = 8, 6, 20
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			store := open(t, map[quota.Account][]quota.Limit{
				{Namespace: "a"}: {{Name: "places", Resource: notesName, Objects: places}},
				{User: "alice"}:  {{Name: "places of alice", Objects: places / 2}},
			})
			apis := []*rest.API{serve(t, store, nil), serve(t, store, nil)}
			var created, ofAlice atomic.Int64
			var all sync.WaitGroup
			for w := range writers {
				user := []string{"alice", "bob"}[w%2]
				all.Go(func() {
					for n := range each {
						err := create(t.Context(), apis[n%2], user, "a", fmt.Sprintf("%d-%d", w, n))
						if err == nil {
							created.Add(1)
							if user == "alice" {
								ofAlice.Add(1)
							}
						} else {
							assert.True(t, status.IsForbidden(err), err)
						}
					}
				})
			}
			all.Wait()
			assert.EqualValues(t, places, created.Load(), "bob alone could have all places")
			assert.LessOrEqual(t, ofAlice.Load(), int64(places/2))
			page, err := resttest.Client[Note](t, apis[0]).Namespace("a").List(t.Context(), rest.ListOptions{})
			require.NoError(t, err)
			assert.Len(t, page.Items, places)
		})
	}
}

// A file keeps who created an object, also through updates. An object from before the store had limits counts in its
// namespace only.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	run := func(ledger func() storage.Ledger, do func(api *rest.API)) {
		store, err := bolt.Open(t.Context(), bolt.Options{Path: path, Engine: storage.Options{Ledger: ledger}})
		require.NoError(t, err)
		api, err := rest.New(rest.Options{Store: store, Authenticator: byHeader}, notes())
		require.NoError(t, err)
		do(api)
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	}
	limited := func(account quota.Account, objects int64) func() storage.Ledger {
		return quota.New(quota.Fixed(map[quota.Account][]quota.Limit{account: {{Name: "q", Objects: objects}}}))
	}
	run(nil, func(api *rest.API) {
		require.NoError(t, create(t.Context(), api, "alice", "a", "old"))
	})
	run(limited(quota.Account{Namespace: "b"}, 1), func(api *rest.API) {
		require.NoError(t, create(t.Context(), api, "alice", "a", "1"))
		require.NoError(t, create(t.Context(), api, "bob", "a", "2"))
	})
	run(nil, func(api *rest.API) {
		code, message := send(t, api, "bob", "PATCH", "namespaces/a/notes/1", `{"text":"by bob"}`)
		require.Equal(t, 200, code, message)
	})
	for range 2 {
		run(limited(quota.Account{User: "alice"}, 2), func(api *rest.API) {
			require.NoError(t, create(t.Context(), api, "alice", "a", "3"), "one object counts")
			assert.True(t, status.IsForbidden(create(t.Context(), api, "alice", "a", "4")))
			code, message := send(t, api, "bob", "DELETE", "namespaces/a/notes/3", "")
			require.Equal(t, 200, code, message)
		})
	}
	run(limited(quota.Account{Namespace: "a"}, 3), func(api *rest.API) {
		assert.True(t, status.IsForbidden(create(t.Context(), api, "bob", "a", "3")))
	})
}

// The objects of a kind count while an API serves the kind.
func TestWithdrawnKinds(t *testing.T) {
	api := serve(t, inMemory(t, map[quota.Account][]quota.Limit{{User: "alice"}: {{Name: "q", Objects: 2}}}), nil)
	shelf := func(name string) error {
		_, err := resttest.Client[Shelf](t, api).AsUser(access.User{Name: "alice"}).Create(t.Context(),
			&Shelf{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		return err
	}
	require.NoError(t, create(t.Context(), api, "alice", "a", "1"))
	require.NoError(t, create(t.Context(), api, "alice", "a", "2"))
	assert.True(t, status.IsForbidden(shelf("1")))
	require.NoError(t, api.WithdrawResources(t.Context(), apimeta.GroupResource{Group: "example.com", Resource: "notes"}))
	require.NoError(t, shelf("1"))
	require.NoError(t, api.AddResources(t.Context(), notes()))
	assert.True(t, status.IsForbidden(shelf("2")), "3 of 2 objects")
	require.NoError(t, as(t, api, "alice", "a").Delete(t.Context(), "1", rest.DeleteOptions{}))
	assert.True(t, status.IsForbidden(shelf("2")), "2 of 2 objects")
	require.NoError(t, as(t, api, "alice", "a").Delete(t.Context(), "2", rest.DeleteOptions{}))
	require.NoError(t, shelf("2"))
}

// Objects that a new declaration of their kind makes larger count with their new size, for the users who created them.
func TestReplacedKinds(t *testing.T) {
	limits := map[quota.Account][]quota.Limit{}
	store := inMemory(t, limits)
	api := serve(t, store, nil)
	require.NoError(t, create(t.Context(), api, "alice", "a", "1"))
	before := sizeOf(t, store, "a", "1")

	require.NoError(t, api.ReplaceResources(t.Context(),
		rest.Resource[defaultedNote]{Group: "example.com", Version: "v1", Plural: "notes", Names: rest.Names{Kind: "Note"}}))
	after := sizeOf(t, store, "a", "1")
	require.Greater(t, after, before)
	limits[quota.Account{User: "alice"}] = []quota.Limit{{Name: "q", Resource: notesName, Bytes: after + before}}
	code, message := send(t, api, "alice", "POST", "namespaces/b/notes", note("1", ""))
	assert.Equal(t, 403, code)
	assert.Contains(t, message, fmt.Sprintf("used: bytes/notes.example.com=%d,", after))
}

// defaultedNote is a newer declaration of Note.
type defaultedNote struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text" api:"default=a text that makes every note larger"`
}
