package hostile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// Alice may act as an administrator for a moment, and opens a watch. It ends when she loses that right, and never shows
// what bob writes afterwards.
func borrowedWatch(t *testing.T, h *host) {
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	h.must(t, "POST", rbac+"clusterroles",
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"actor"},
		"rules":[{"apiGroups":[""],"resources":["users","groups"],"verbs":["impersonate"]}]}`)
	h.must(t, "POST", rbac+"clusterrolebindings",
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"actors"},
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"actor"},
		"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]}`)
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.plain.URL+notesIn("team-b")+"?watch=1", nil)
	require.NoError(t, err)
	r.Header = http.Header{"Authorization": {"Bearer token-of-alice"}, "Impersonate-User": {"root"},
		"Impersonate-Group": {"admins"}}
	watch, err := h.calm.Do(r)
	require.NoError(t, err)
	defer watch.Body.Close()
	require.Equal(t, http.StatusOK, watch.StatusCode)
	h.must(t, "DELETE", rbac+"clusterrolebindings/actors", "")
	text, err := io.ReadAll(watch.Body)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"reason":"Expired"`)
	again := h.as("alice").ask(t, "GET", notesIn("team-b"), "", "Impersonate-User", "root", "Impersonate-Group", "admins")
	assert.Equal(t, http.StatusForbidden, again.code, again.body)
	h.must(t, "DELETE", rbac+"clusterroles/actor", "")
}

// replica serves another API over the store of the host.
func (h *host) replica(t *testing.T, options rest.Options) string {
	t.Helper()
	options.Store, options.Logger = h.store, slog.New(slog.DiscardHandler)
	api, err := rest.New(options, notes())
	require.NoError(t, err)
	server := httptest.NewServer(api)
	t.Cleanup(func() {
		h.calm.CloseIdleConnections()
		server.Close()
		assert.NoError(t, api.Close())
	})
	return server.URL
}

// allowed allows everything.
var allowed = access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision, error) {
	return access.Allow(""), nil
})

// Fay lists while a filter hides notes from her. When another replica, which knows nothing of that, shows her
// everything, she does not continue from her list as if it had been complete. Bob, whom nobody ever restricted,
// continues.
func loosenedFilter(t *testing.T, h *host) {
	seen := func(c client) string {
		a := c.ask(t, "GET", notesIn("shared"), "")
		require.Equal(t, http.StatusOK, a.code, a.body)
		var list struct {
			Metadata struct{ ResourceVersion string }
		}
		require.NoError(t, json.Unmarshal([]byte(a.body), &list))
		return list.Metadata.ResourceVersion
	}
	restricted := seen(h.as("fay"))
	url := h.replica(t, rest.Options{Authenticator: h.tokens, Authorizer: allowed})
	fay, bob := client{h.calm, url, "token-of-fay"}, client{h.calm, url, "token-of-bob"}
	watch := func(c client, revision string) int {
		return c.ask(t, "GET", notesIn("shared")+"?watch=1&timeoutSeconds=1&resourceVersion="+revision, "").code
	}
	assert.Equal(t, http.StatusGone, watch(fay, restricted))
	assert.Equal(t, http.StatusOK, watch(fay, seen(fay)), "she has listed again")
	assert.Equal(t, http.StatusOK, watch(bob, restricted))
}

// The API refuses every request of a web page whose owner has pointed its name to the address of the API.
func reboundName(t *testing.T, h *host) {
	url := h.replica(t, rest.Options{Browsers: rest.Browsers{AllowedHosts: []string{"localhost"}}})
	before := h.count(t, "shared")
	names := []string{
		"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "xn--localhost-",
		"localhost,evil.example",
	}
	for _, name := range names {
		for _, request := range []struct{ method, path, body string }{
			{"GET", notesIn("shared"), ""}, {"POST", notesIn("shared"), note("rebound", "", "")},
			{"DELETE", notesIn("shared"), ""}, {"GET", "/healthz", ""},
		} {
			r, err := http.NewRequestWithContext(t.Context(), request.method, url+request.path, strings.NewReader(request.body))
			require.NoError(t, err)
			r.Host = name
			r.Header = http.Header{
				"Content-Type": {"application/json"}, "Origin": {"http://" + name}, "Sec-Fetch-Site": {"same-origin"},
				"X-Forwarded-Host": {"localhost"},
			}
			a, err := answerTo(h.calm, r)
			require.NoError(t, err)
			require.Contains(t, []int{http.StatusMisdirectedRequest, http.StatusBadRequest}, a.code, fmt.Sprint(request, name))
			require.NotContains(t, a.body, secret)
		}
	}
	assert.Equal(t, before, h.count(t, "shared"))
}

func TestRights(t *testing.T) {
	underAttack(t, attack{"a watch with a borrowed right", borrowedWatch}, attack{"a loosened filter", loosenedFilter},
		attack{"a rebound name", reboundName})
}
