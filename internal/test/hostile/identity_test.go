package hostile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// whoAmI is the request with which a client asks who it is.
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews"

// token returns a token of a service account.
func (h *host) token(t *testing.T, namespace, name string) string {
	t.Helper()
	created := h.as("root").ask(t, "POST", "/api/v1/namespaces/"+namespace+"/serviceaccounts/"+name+"/token",
		`{"spec":{}}`)
	require.Equal(t, http.StatusCreated, created.code, created.body)
	var request struct{ Status struct{ Token string } }
	require.NoError(t, json.Unmarshal([]byte(created.body), &request))
	return request.Status.Token
}

// The server refuses guessed and altered tokens, always with the same response.
func tokenGuessing(t *testing.T, h *host) {
	robots := h.token(t, "team-b", "robot")
	const right = "token-of-root"
	guesses := []string{"", " ", "Bearer", "Bearer ", "Basic " + right, right, "Basic cm9vdDp0b2tlbi1vZi1yb290",
		"bearer token-of", "Token " + right, "Bearer " + right + "\x7f",
		"Bearer " + strings.ToUpper(right), "Bearer " + right + "x", "Bearer x" + right,
		"Bearer " + right + ", Bearer " + right, "Bearer " + right + " " + right,
		"Bearer Bearer " + right, "Bearer \"" + right + "\"", "Bearer 0", "Bearer null", "Bearer undefined",
		"Bearer %74oken-of-root"}
	for i := range right {
		guesses = append(guesses, "Bearer "+right[:i], "Bearer "+right[:i]+string(right[i]^1)+right[i+1:])
	}
	for i := 0; i < len(robots); i += 5 {
		guesses = append(guesses, "Bearer "+robots[:i], "Bearer "+robots[:i]+string(robots[i]^1)+robots[i+1:])
	}
	for i := range 300 {
		guesses = append(guesses, fmt.Sprintf("Bearer %032x", i*7919))
	}
	refusal := ""
	for _, guess := range guesses {
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.plain.URL+whoAmI+"?access_token="+right+"&token="+right,
			strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header["Authorization"] = []string{guess}
		r.Header["X-Auth-Token"], r.Header["Cookie"] = []string{right},
			[]string{"token=" + right + "; Authorization=" + right}
		a, err := answerTo(h.calm, r)
		if err != nil { // net/http sends no control characters
			continue
		}
		if a.code == http.StatusBadRequest && !strings.HasPrefix(a.body, "{") {
			continue // net/http received none
		}
		require.Equal(t, http.StatusUnauthorized, a.code, "%q: %s", guess, a.body)
		if refusal == "" {
			refusal = a.body
		}
		require.Equal(t, refusal, a.body, "%q", guess)
	}
	a, err := client{h.calm, h.plain.URL, robots}.send(t.Context(), "POST", whoAmI, "{}")
	require.NoError(t, err)
	assert.Equal(t, http.StatusCreated, a.code)
	t.Logf("%d guesses", len(guesses))
}

// A user without the right to impersonate cannot act as another user, however the headers are spelled.
func impersonation(t *testing.T, h *host) {
	for _, c := range []struct {
		name    string
		headers []string
		code    int
		user    string // the one that the client impersonates
	}{
		{"an administrator", []string{"Impersonate-User", "root"}, 403, ""},
		{"herself", []string{"Impersonate-User", "alice"}, 403, ""},
		{"herself as an administrator", []string{"Impersonate-User", "alice", "Impersonate-Group", "admins"}, 403, ""},
		{"a group alone", []string{"Impersonate-Group", "admins"}, 400, ""},
		{"an extra alone", []string{"Impersonate-Extra-Scopes", "all"}, 400, ""},
		{"nobody", []string{"Impersonate-User", ""}, 400, ""},
		{"lower case", []string{"impersonate-user", "root"}, 403, ""},
		{"another case", []string{"iMPERSONATE-uSER", "root"}, 403, ""},
		{"an account", []string{"Impersonate-User", "system:serviceaccount:team-b:robot"}, 403, ""},
		{"the host", []string{"Impersonate-User", "system:host"}, 403, ""},
		{"the anonymous user", []string{"Impersonate-User", "system:anonymous"}, 403, ""},
		{"an unknown header", []string{"Impersonate-User", "root", "Impersonate-Role", "admin"}, 400, ""},
		{"a uid", []string{"Impersonate-User", "alice", "Impersonate-Uid", "0"}, 403, ""},
		{"two names in one", []string{"Impersonate-User", "alice,root"}, 403, ""},
		{"an underscore", []string{"Impersonate_User", "root"}, 201, "alice"},
		{"the headers of a proxy", []string{"X-Remote-User", "root", "X-Remote-Group", "admins", "X-Forwarded-User", "root"},
			201, "alice"},
	} {
		got := h.as("alice").ask(t, "POST", whoAmI, "{}", c.headers...)
		require.Equal(t, c.code, got.code, "%s: %s", c.name, got.body)
		if c.user != "" {
			var review struct {
				Status struct {
					UserInfo struct {
						Username string
						Groups   []string
					}
				}
			}
			require.NoError(t, json.Unmarshal([]byte(got.body), &review))
			assert.Equal(t, c.user, review.Status.UserInfo.Username, c.name)
			assert.NotContains(t, review.Status.UserInfo.Groups, "admins", c.name)
		}
		got = h.as("alice").ask(t, "GET", notesIn("team-b"), "", c.headers...)
		require.GreaterOrEqual(t, got.code, 400, c.name)
		require.NotContains(t, got.body, secret, c.name)
	}
}

func TestIdentities(t *testing.T) {
	underAttack(t, attack{"token guessing", tokenGuessing}, attack{"impersonation", impersonation})
}
