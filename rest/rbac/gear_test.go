package rbac_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/storage"
)

// Note is a kind without rules.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// server is an API whose clients say who they are: the header Test-User holds the name, and Test-Groups the groups.
type server struct {
	api   *rest.API
	roles *observed
}

// observed gives tests the Authorizer of Roles.
type observed struct {
	*rbac.Roles
	authorizer access.Authorizer
}

func (o *observed) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := o.Roles.Plug(api)
	o.authorizer = parts.Authorizer
	return parts, err
}

// start starts a server whose administrators are the group admins.
func start(t testing.TB, store storage.Store) *server {
	t.Helper()
	return startWith(t, rest.Options{Store: store})
}

// startWith is start with further options.
func startWith(t testing.TB, options rest.Options) *server {
	t.Helper()
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	users := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		groups := r.Header.Get("Test-Groups")
		return &access.Identity{User: access.User{Name: r.Header.Get("Test-User"),
			Groups: strings.FieldsFunc(groups, func(c rune) bool { return c == ',' })}}, nil
	})
	o := &observed{Roles: roles}
	options.Authenticator, options.Plugins = users, []rest.Plugin{o, auth.Reviews()}
	api, err := rest.New(options, builtin.Namespaces(),
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	return &server{api, o}
}

// answer is the answer to a request.
type answer struct {
	Code int
	Body string
}

// message returns the message of a Status.
func (a answer) message(t testing.TB) string {
	t.Helper()
	var s struct{ Message string }
	require.NoError(t, json.Unmarshal([]byte(a.Body), &s), a.Body)
	return s.Message
}

// send sends a request of a user, who is "NAME" or "NAME|GROUP,GROUP".
func (s *server) send(t testing.TB, user, method, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://host"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	name, groups, _ := strings.Cut(user, "|")
	r.Header.Set("Test-User", name)
	r.Header.Set("Test-Groups", groups)
	got, err := rest.RoundTripper(s.api).RoundTrip(r)
	require.NoError(t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return answer{got.StatusCode, string(text)}
}

// must sends a request of the administrator, which has to succeed.
func (s *server) must(t testing.TB, method, path, body string) {
	t.Helper()
	got := s.send(t, "root|admins", method, path, body)
	require.Less(t, got.Code, 300, got.Body)
}

const (
	group               = "/apis/rbac.authorization.k8s.io/v1"
	clusterRoles        = group + "/clusterroles"
	clusterRoleBindings = group + "/clusterrolebindings"
	notes               = "/apis/example.com/v1/namespaces/default/notes"
)

// roles and bindings are the collections of a namespace.
func roles(namespace string) string    { return group + "/namespaces/" + namespace + "/roles" }
func bindings(namespace string) string { return group + "/namespaces/" + namespace + "/rolebindings" }

// role returns the JSON of a role with rules, which are JSON.
func role(name, rules string) string {
	return `{"metadata":{"name":"` + name + `"},"rules":[` + rules + `]}`
}

// binding returns the JSON of a binding. role is "KIND/NAME", and subject "KIND/NAME" or
// "ServiceAccount/NAMESPACE/NAME".
func binding(name, role, subject string) string {
	kind, of, _ := strings.Cut(role, "/")
	who := strings.Split(subject, "/")
	namespace := ""
	if len(who) == 3 {
		namespace = `"namespace":"` + who[1] + `",`
	}
	return `{"metadata":{"name":"` + name + `"},"roleRef":{"kind":"` + kind + `","name":"` + of +
		`"},"subjects":[{"kind":"` + who[0] + `",` +
		namespace + `"name":"` + who[len(who)-1] + `"}]}`
}

// Rules as JSON.
const (
	readNotes = `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["get","list","watch"]}`
	allNotes  = `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["*"]}`
	editRoles = `{"apiGroups":["rbac.authorization.k8s.io"],"resources":["*"],"verbs":["get","create","update","patch","delete"]}`
)
