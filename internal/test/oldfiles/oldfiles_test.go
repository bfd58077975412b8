package oldfiles_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// recorded is what an older program answered.
type recorded struct {
	// Now is the time of the last answer.
	Now time.Time
	// Get are the answers to a GET of each path.
	Get map[string]string
	// Watch is the path of a watch from an old revision, and Events are its answer.
	Watch, Events string
}

// unpack returns the path of a copy of the file in a folder, and the answers of its program.
func unpack(t *testing.T, folder string) (path string, answers recorded) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "answers.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &answers))
	packed, err := os.ReadFile(filepath.Join(folder, "objects.db.gz"))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	file, err := io.ReadAll(reader)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "objects.db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path, answers
}

// client sends requests to an API as the users that it names.
type client struct {
	t   *testing.T
	api *rest.API
}

func (c client) send(method, path, user, body string) (code int, answer string) {
	c.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.RequestURI = ""
	r.Header.Set("User", user)
	r.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := rest.RoundTripper(c.api).RoundTrip(r)
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return response.StatusCode, string(text)
}

// serve opens the file as the older program did, and serves it until use returns.
func serve(t *testing.T, options bolt.Options, now func() time.Time, use func(client)) {
	t.Helper()
	options.Engine = storage.Options{Now: now, Ledger: quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
		{User: "alice"}: {{Name: "shelves-of-alice", Resource: "shelves.library.example.com", Objects: 4}},
	}))}
	store, err := bolt.Open(t.Context(), options)
	require.NoError(t, err)
	roles, err := rbac.New(rbac.Options{Administrators: []string{"librarians"}})
	require.NoError(t, err)
	users := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		u := access.User{Name: r.Header.Get("User")}
		if u.Name == "root" {
			u.Groups = []string{"librarians"}
		}
		return &access.Identity{User: u}, nil
	})
	api, err := rest.New(rest.Options{Store: store, Now: now, Authenticator: users,
		Plugins: []rest.Plugin{roles, crd.New(crd.Options{})}}, builtin.Namespaces(), builtin.Leases(), shelves(), notices())
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	use(client{t, api})
	require.NoError(t, api.Shutdown(t.Context()))
	require.NoError(t, store.Close())
}

// A program of today opens what older programs have written. It serves the same bytes of each object and the same
// events, and goes on with rights, quotas and deletions.
func TestFilesOfOlderPrograms(t *testing.T) {
	folders, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { openOld(t, folder) })
		})
	}
}

func openOld(t *testing.T, folder string) {
	path, answers := unpack(t, folder)
	key, err := bolt.NewAEAD(bolt.Key{ID: "key-1", Secret: []byte("the key of a test, in 32 bytes..")})
	require.NoError(t, err)
	options := bolt.Options{Path: path, Transformer: key}
	require.NoError(t, bolt.Check(t.Context(), options))

	begun := time.Now()
	now := func() time.Time { return answers.Now.Add(time.Since(begun)) }
	same := func(c client) {
		for path, want := range answers.Get {
			code, got := c.send("GET", path, "root", "")
			assert.Equal(t, 200, code, path)
			assert.Equal(t, want, got, path)
		}
	}
	var backup bytes.Buffer
	serve(t, options, now, func(c client) {
		same(c)
		_, events := c.send("GET", answers.Watch, "root", "")
		assert.Equal(t, answers.Events, events, "the file keeps the history")
	})

	store, err := bolt.Open(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, store.Backup(t.Context(), &backup))
	require.NoError(t, store.Close())
	restored := bolt.Options{Path: filepath.Join(t.TempDir(), "restored.db"), Transformer: key}
	require.NoError(t, bolt.Restore(t.Context(), &backup, restored))
	serve(t, restored, now, same)

	require.NoError(t, bolt.Compact(t.Context(), options))
	serve(t, options, now, func(c client) {
		same(c)
		const shelves = "/apis/library.example.com/v1/namespaces/team-a/shelves"
		const shelf = `{"apiVersion":"library.example.com/v1","kind":"Shelf","metadata":{"name":"e"},"spec":{"widthMillimeters":300}}`
		code, answer := c.send("POST", shelves, "bob", shelf)
		assert.Equal(t, 403, code, "the roles of the file grant bob nothing: %s", answer)
		code, answer = c.send("POST", shelves, "alice", shelf)
		assert.Equal(t, 403, code, answer)
		assert.Contains(t, answer, "exceeded quota: shelves-of-alice", "the file names the creators of the objects")
		code, answer = c.send("PATCH", shelves+"/a", "alice", `{"spec":{"wood":"fir"}}`)
		assert.Equal(t, 200, code, answer)
		code, answer = c.send("PATCH", shelves+"/c", "alice", `{"metadata":{"finalizers":null}}`)
		assert.Equal(t, 200, code, "without its finalizer, the object goes: %s", answer)
		code, _ = c.send("GET", shelves+"/c", "root", "")
		assert.Equal(t, 404, code)
		code, answer = c.send("POST", "/apis/fleet.example.com/v1/namespaces/team-a/ships", "root",
			`{"apiVersion":"fleet.example.com/v1","kind":"Ship","metadata":{"name":"anne"},"spec":{"sails":0}}`)
		assert.Equal(t, 422, code, "the schema of the definition holds: %s", answer)
	})
}
