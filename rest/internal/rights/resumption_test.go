package rights_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// resume begins to watch the widgets from a revision, and returns the code of the answer.
func resume(t testing.TB, api *rest.API, user access.User, revision string) int {
	t.Helper()
	r := apitest.NewRequest("GET", apitest.Widgets+"?watch=1&resourceVersion="+revision, nil, "Test-User", user.Name)
	got, err := rest.RoundTripper(api).RoundTrip(r.WithContext(access.WithUser(t.Context(), user)))
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
	return got.StatusCode
}

// A user whose filter is loosened must list again before a watch continues, also after a restart, on another replica,
// and when other clients have read a great deal meanwhile. A user who was never restricted continues.
func TestResumedWatchesAfterAFilterIsLoosened(t *testing.T) {
	free := &filters{only: map[string][]access.Filter{}}
	for _, c := range []struct {
		name string
		next func(t *testing.T, store *bolt.Store, path string, api *rest.API) *rest.API
	}{
		{"the same API", func(_ *testing.T, _ *bolt.Store, _ string, api *rest.API) *rest.API { return api }},
		{"a restart", func(t *testing.T, store *bolt.Store, path string, api *rest.API) *rest.API {
			require.NoError(t, api.Close())
			require.NoError(t, store.Close())
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.NoError(t, err)
			apitest.CloseAtEnd(t, store)
			return apitest.Start(t, rest.Options{Store: store, Authenticator: apitest.UserFromHeader, Authorizer: free},
				apitest.WidgetResource())
		}},
		{"another API over the store", func(t *testing.T, store *bolt.Store, _ string, _ *rest.API) *rest.API {
			return apitest.Start(t, rest.Options{Store: store, Authenticator: apitest.UserFromHeader, Authorizer: free},
				apitest.WidgetResource())
		}},
		{"10,001 lists of another restricted user", func(t *testing.T, _ *bolt.Store, _ string, api *rest.API) *rest.API {
			for i := range 10_001 {
				got := apitest.Do(t, api, "GET", fmt.Sprintf("%s?labelSelector=n%%3D%d", apitest.Widgets, i), "", "Test-User",
					"bob")
				require.Equal(t, http.StatusOK, got.Code)
			}
			return api
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "objects")
			store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
			require.NoError(t, err)
			t.Cleanup(func() { _ = store.Close() })
			f := &filters{only: map[string][]access.Filter{"alice": {labelled(t, "team=a")}, "bob": {labelled(t, "team=a")}}}
			api := apitest.Start(t, rest.Options{Store: store, Authenticator: apitest.UserFromHeader, Authorizer: f},
				apitest.WidgetResource())
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"theirs","labels":{"team":"b"}`),
				"Test-User", "root")
			seen := apitest.Must(t, api, "GET", apitest.Widgets, "", "Test-User", "alice").Text(t, "metadata.resourceVersion")
			all := apitest.Must(t, api, "GET", apitest.Widgets, "", "Test-User", "root").Text(t, "metadata.resourceVersion")

			f.mu.Lock()
			delete(f.only, "alice")
			f.mu.Unlock()
			next := c.next(t, store, path, api)
			alice, root := access.User{Name: "alice"}, access.User{Name: "root"}
			assert.Equal(t, http.StatusGone, resume(t, next, alice, seen))
			assert.Equal(t, http.StatusOK, resume(t, next, root, all), "nobody ever restricted root")
			for range 2 {
				again := apitest.Must(t, next, "GET", apitest.Widgets, "", "Test-User", "alice").Text(t, "metadata.resourceVersion")
				assert.Equal(t, http.StatusOK, resume(t, next, alice, again), "alice has listed again")
			}
		})
	}
}

// A user who leaves a group, or enters one, is the same user.
func TestResumedWatchesAfterAChangeOfGroups(t *testing.T) {
	byGroup := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		for _, group := range a.User.Groups {
			if group == "all" {
				return access.Allow(""), nil
			}
		}
		return access.AllowOnly("", labelled(t, "team=a")), nil
	})
	api := apitest.New(t, rest.Options{Authorizer: byGroup}, apitest.WidgetResource())
	r := apitest.NewRequest("GET", apitest.Widgets, nil)
	seen := apitest.Ask(api, r.WithContext(access.WithUser(t.Context(), access.User{Name: "alice"}))).Text(t,
		"metadata.resourceVersion")
	assert.Equal(t, http.StatusGone, resume(t, api, access.User{Name: "alice", Groups: []string{"all"}}, seen))
}

// A change of rights does not expire a revision that the store has not reached.
func TestResumedWatchesAtAFutureRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: &filters{}},
			apitest.WidgetResource())
		assert.Equal(t, http.StatusGatewayTimeout, resume(t, api, access.User{Name: "root"}, "99999999"))
	})
}

// readOnly is a store that has become full.
type readOnly struct{ storage.Store }

func (readOnly) Update(context.Context, storage.Key, storage.UpdateFunc) (*storage.Record, error) {
	return nil, storage.ErrReadOnly
}

// If the store refuses to remember that a user is restricted, reads go on, and the API assumes that every user was.
func TestResumedWatchesOverAFullStore(t *testing.T) {
	f := &filters{only: map[string][]access.Filter{"alice": {labelled(t, "team=a")}}}
	api := apitest.New(t, rest.Options{Store: readOnly{apitest.NewStore(t)}, Authenticator: apitest.UserFromHeader,
		Authorizer: f}, apitest.WidgetResource())
	seen := apitest.Must(t, api, "GET", apitest.Widgets, "", "Test-User", "alice").Text(t, "metadata.resourceVersion")
	f.mu.Lock()
	delete(f.only, "alice")
	f.mu.Unlock()
	alice := access.User{Name: "alice"}
	assert.Equal(t, http.StatusGone, resume(t, api, alice, seen))
	again := apitest.Must(t, api, "GET", apitest.Widgets, "", "Test-User", "alice").Text(t, "metadata.resourceVersion")
	assert.Equal(t, http.StatusOK, resume(t, api, alice, again))
}
