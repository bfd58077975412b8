package quota_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// Note is a kind whose number and size are limited.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string     `json:"text,omitempty"`
	Status             NoteStatus `json:"status,omitzero"`
}

// NoteStatus is the status of a Note.
type NoteStatus struct {
	Text string `json:"text,omitempty"`
}

// Shelf is a cluster-scoped kind.
type Shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

const notesName = "notes.example.com"

func notes() rest.Resource[Note] {
	return rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"}
}

func shelves() rest.Resource[Shelf] {
	return rest.Resource[Shelf]{Group: "example.com", Version: "v1", Plural: "shelves", Scope: rest.ScopeCluster}
}

// inMemory returns a store in memory with limits.
func inMemory(t testing.TB, limits map[quota.Account][]quota.Limit) storage.Store {
	t.Helper()
	store := memory.New(storage.Options{Ledger: quota.New(quota.Fixed(limits))})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// stores are the stores on which a test runs.
var stores = map[string]func(testing.TB, map[quota.Account][]quota.Limit) storage.Store{
	"memory": inMemory,
	"bolt": func(t testing.TB, limits map[quota.Account][]quota.Limit) storage.Store {
		t.Helper()
		path := filepath.Join(t.TempDir(), "objects.db")
		store, err := bolt.Open(t.Context(),
			bolt.Options{Path: path, Engine: storage.Options{Ledger: quota.New(quota.Fixed(limits))}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	},
}

// byHeader finds the user in the header Test-User.
var byHeader = access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
	return &access.Identity{User: access.User{Name: r.Header.Get("Test-User")}}, nil
})

// serve starts an API over a store.
func serve(t testing.TB, store storage.Store, authorizer access.Authorizer) *rest.API {
	t.Helper()
	api, err := rest.New(rest.Options{Store: store, Authenticator: byHeader, Authorizer: authorizer}, notes(), shelves())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

// send sends a request of a user, and returns the code and the message of the answer.
func send(t testing.TB, api http.Handler, user, method, path, body string) (code int, message string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://host/apis/example.com/v1/"+path,
		strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Test-User", user)
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := rest.RoundTripper(api).RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	var s struct{ Message string }
	require.NoError(t, json.Unmarshal(text, &s), string(text))
	return answer.StatusCode, s.Message
}

// note is the body of a note.
func note(name, text string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":%q},"text":%q}`, name, text)
}

// as returns a client of the notes in a namespace for a user.
func as(t testing.TB, api *rest.API, user, namespace string) rest.Client[Note] {
	return resttest.Client[Note](t, api).AsUser(access.User{Name: user}).Namespace(namespace)
}

// create creates a note as a user.
func create(ctx context.Context, api *rest.API, user, namespace, name string) error {
	notes, err := rest.ClientForType[Note](api)
	if err != nil {
		return err
	}
	_, err = notes.AsUser(access.User{Name: user}).Namespace(namespace).Create(ctx,
		&Note{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	return err
}

// sizeOf returns how many bytes the store has for a note.
func sizeOf(t testing.TB, store storage.Store, namespace, name string) int64 {
	t.Helper()
	r, err := store.Get(t.Context(), storage.Key{Resource: notesName, Namespace: namespace, Name: name},
		storage.MostRecent)
	require.NoError(t, err)
	return int64(len(storagetest.Text(r)))
}
