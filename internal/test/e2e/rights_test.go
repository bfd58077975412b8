package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/rbac"
)

// Note is the kind whose objects the users of this test share.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// The users of this test, whose tokens are their names.
var noteUsers = []string{"root", "alice", "bob", "carol"}

// noteServer serves notes over TLS, because kubectl sends tokens over TLS only. root administrates, alice edits the
// notes of the namespace but does not delete all, bob reads the one note called shared and lists nothing, and carol has
// no rights.
func noteServer(t *testing.T) (*server, *http.Client) {
	var tokens []auth.Token
	for _, name := range noteUsers {
		u := access.User{Name: name}
		if name == "root" {
			u.Groups = []string{"admins"}
		}
		tokens = append(tokens, auth.Token{Secret: name, User: u})
	}
	s, client := serveNotes(t, auth.Tokens(tokens...), nil)
	as(t, s, 0, "root", "create", "role", "editor", "--verb=get,list,watch,create,update,patch,delete",
		"--resource=notes.example.com")
	as(t, s, 0, "root", "create", "rolebinding", "editors", "--role=editor", "--user=alice")
	as(t, s, 0, "root", "create", "clusterrole", "reader", "--verb=get,watch", "--resource=notes.example.com",
		"--resource-name=shared")
	as(t, s, 0, "root", "create", "clusterrolebinding", "readers", "--clusterrole=reader", "--user=bob")
	return s, client
}

// serveNotes serves notes, roles, and more kinds over TLS. The group admins administrates, and has a user whose token
// is root. The client of the result trusts the server's certificate.
func serveNotes(t *testing.T, users access.Authenticator, plugins []rest.Plugin,
	more ...rest.Definition) (*server, *http.Client) {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	definitions := append(more, builtin.Namespaces(),
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	api, err := rest.New(rest.Options{Authenticator: users, Plugins: append(plugins, roles, auth.Reviews())},
		definitions...)
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	over := httptest.NewTLSServer(api)
	t.Cleanup(func() {
		over.CloseClientConnections()
		require.NoError(t, api.Close())
		over.Close()
	})
	s := &server{url: over.URL, kubectl: newest(), home: t.TempDir()}
	as(t, s, 0, "root", "create", "namespace", namespace)
	return s, over.Client()
}

// as runs kubectl as a user and returns what it prints. It fails the test if kubectl ends with another exit code.
func as(t *testing.T, s *server, code int, user string, args ...string) string {
	t.Helper()
	cmd := s.command(t.Context(), "", append([]string{"--insecure-skip-tls-verify", "--token", user}, args...)...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited {
		require.NoError(t, err)
	}
	require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s %v: %s", user, args, out)
	return string(out)
}

// Each verb is allowed and denied exactly as kubectl auth can-i says.
func TestRightsAreAsCanISays(t *testing.T) {
	s, client := noteServer(t)
	collection := "/apis/example.com/v1/namespaces/" + namespace + "/notes"
	const body = `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":%q},"text":%q}`
	send := func(user, method, path, text string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(text))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+user)
		r.Header.Set("Content-Type",
			map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == "PATCH"])
		answer, err := client.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		return answer.StatusCode
	}
	for _, user := range noteUsers {
		list := as(t, s, 0, user, "auth", "can-i", "--list")
		assert.Contains(t, list, "selfsubjectaccessreviews.authorization.k8s.io")
		assert.Equal(t, user == "alice" || user == "bob", strings.Contains(list, "notes.example.com"), list)
		for _, c := range []struct{ verb, what, method, path, text string }{
			{"get", "notes/shared", "GET", collection + "/shared", ""},
			{"get", "notes/other", "GET", collection + "/other", ""},
			{"list", "notes", "GET", collection, ""},
			{"watch", "notes", "GET", collection + "?watch=1&timeoutSeconds=1", ""},
			{"create", "notes", "POST", collection + "?dryRun=All", fmt.Sprintf(body, "new", "")},
			{"update", "notes/shared", "PUT", collection + "/shared?dryRun=All", fmt.Sprintf(body, "shared", user)},
			{"patch", "notes/shared", "PATCH", collection + "/shared?dryRun=All", `{"text":"` + user + `"}`},
			{"delete", "notes/shared", "DELETE", collection + "/shared?dryRun=All", ""},
			{"deletecollection", "notes", "DELETE", collection + "?dryRun=All", ""},
			{"list", "namespaces", "GET", "/api/v1/namespaces", ""},
			{"get", "/metrics", "GET", "/metrics", ""},
			{"get", "/version", "GET", "/version", ""},
		} {
			what := c.what
			if !strings.HasPrefix(what, "/") {
				what = strings.Replace(what, "notes", "notes.example.com", 1)
			}
			cmd := s.command(t.Context(), "", "--insecure-skip-tls-verify", "--token", user, "auth", "can-i", c.verb, what,
				"--quiet")
			may := cmd.Run() == nil
			assert.Equal(t, !may, send(user, c.method, c.path, c.text) == http.StatusForbidden, "%s %s %s: can-i says %v", user,
				c.verb, c.what, may)
		}
	}
}

// kubectl shows users what they may see, and tells them why they may not do the rest.
func TestKubectlAsUsers(t *testing.T) {
	s, _ := noteServer(t)
	s.file(t, "note.json", `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"shared"},"text":"a"}`)
	assert.Equal(t, "note.example.com/shared created\n", as(t, s, 0, "alice", "apply", "-f", "note.json"))
	assert.Contains(t, as(t, s, 0, "bob", "get", "note", "shared"), "shared")
	assert.Contains(t, as(t, s, 1, "bob", "get", "notes"),
		`Error from server (Forbidden): notes.example.com is forbidden: User "bob" cannot list resource "notes" in API group "example.com" in the namespace "`+namespace+`"`)
	assert.Contains(t, as(t, s, 1, "carol", "get", "note", "shared"), `User "carol" cannot get resource "notes"`)
	assert.Contains(t, as(t, s, 1, "guess", "get", "notes"), "You must be logged in to the server")
	assert.Contains(t, as(t, s, 0, "root", "get", "note", "shared", "--as=bob"), "shared")
	assert.Contains(t, as(t, s, 1, "root", "get", "notes", "--as=bob"), `User "bob" cannot list resource "notes"`)
	assert.Contains(t, as(t, s, 1, "alice", "get", "notes", "--as=bob"),
		`users "bob" is forbidden: User "alice" cannot impersonate resource "users"`)
	assert.Contains(t, as(t, s, 0, "alice", "auth", "whoami"), "alice")
	assert.Contains(t, as(t, s, 0, "root", "get", "rolebindings", "-o", "wide"), "Role/editor")
	assert.Contains(t, as(t, s, 0, "root", "describe", "role", "editor"), "notes.example.com")
	as(t, s, 0, "root", "delete", "rolebinding", "editors")
	assert.Contains(t, as(t, s, 1, "alice", "get", "notes"), `User "alice" cannot list resource "notes"`)
}
