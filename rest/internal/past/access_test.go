package past_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/rbac"
)

// A role gives the history of the objects that it names, in its namespace, and nothing of others.
func TestRolesAboutHistory(t *testing.T) {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Plugins: []rest.Plugin{roles}},
		keeping(rest.History{}))
	for _, namespace := range []string{"default", "other"} {
		for _, name := range []string{"first", "second"} {
			client := apitest.ClientFor[apitest.Widget](t, api).Namespace(namespace)
			_, err := client.Create(t.Context(), apitest.NewWidget(name, 3))
			require.NoError(t, err)
			require.NoError(t, client.Delete(t.Context(), name, rest.DeleteOptions{}))
		}
	}
	for user, rule := range map[string]rbac.PolicyRule{
		"reader": {Verbs: []string{"get"}, Resources: []string{"widgets/history"}, ResourceNames: []string{"first"}},
		"doctor": {Verbs: []string{"create"}, Resources: []string{"widgets/undo"}, ResourceNames: []string{"first"}},
		"eraser": {Verbs: []string{"delete"}, Resources: []string{"widgets/history"}, ResourceNames: []string{"first"}},
		"editor": {Verbs: []string{"*"}, Resources: []string{"widgets"}},
	} {
		rule.APIGroups = []string{"example.com"}
		meta := apimeta.ObjectMeta{Name: user}
		_, err := apitest.ClientFor[rbac.Role](t, api).Namespace("default").Create(t.Context(),
			&rbac.Role{ObjectMeta: meta, Rules: []rbac.PolicyRule{rule}})
		require.NoError(t, err)
		_, err = apitest.ClientFor[rbac.RoleBinding](t, api).Namespace("default").Create(t.Context(), &rbac.RoleBinding{
			ObjectMeta: meta, Subjects: []rbac.Subject{{Kind: "User", Name: user}},
			RoleRef: rbac.RoleRef{Kind: "Role", Name: user},
		})
		require.NoError(t, err)
	}
	for _, c := range []struct{ user, method, path, body string }{
		{"reader", "GET", "/history", ""},
		{"doctor", "POST", "/undo?dryRun=All", undoOf("", "")},
		{"eraser", "DELETE", "/history", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`},
	} {
		for _, user := range []string{"reader", "doctor", "eraser", "editor"} {
			for object, allowed := range map[string]bool{
				first: user == c.user, apitest.Widgets + "/second": false, apitest.Widgets + "/none": false,
				strings.Replace(first, "default", "other", 1): false,
			} {
				got := apitest.Do(t, api, c.method, object+c.path, c.body, "Test-User", user)
				if allowed {
					assert.Less(t, got.Code, 300, "%s %s %s: %s", user, c.method, object, got.Body)
				} else {
					assert.Equal(t, 403, got.Code, "%s %s %s", user, c.method, object)
				}
			}
		}
	}
}

// The audit names the subresources, and an undo is one request.
func TestAuditOfHistory(t *testing.T) {
	answered := make(chan string, 100)
	sink := audit.SinkFunc(func(_ context.Context, events []*audit.Event) error {
		for _, e := range events {
			if e.ResponseStatus != nil {
				answered <- fmt.Sprint(e.Verb, " ", e.ObjectRef.Resource, "/", e.ObjectRef.Subresource, " ",
					e.ObjectRef.Namespace, "/", e.ObjectRef.Name, " ", e.ResponseStatus.Code)
			}
		}
		return nil
	})
	trail, err := audit.New(audit.Options{Outputs: []audit.Output{{Sink: sink, Mode: audit.Strict}}})
	require.NoError(t, err)
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{trail}}, keeping(rest.History{}))
	create(t, api)
	size(t, api, 4)
	for len(answered) > 0 {
		<-answered
	}
	for _, c := range [][3]string{
		{"GET", "/history"}, {"GET", "/history?revision=3"}, {"POST", "/undo?dryRun=All", undoOf("3", "")},
		{"POST", "/undo", undoOf("3", "")}, {"POST", "/undo", undoOf("1", "")}, {"DELETE", "/history"},
	} {
		apitest.Do(t, api, c[0], first+c[1], c[2])
	}
	var seen []string
	for len(answered) > 0 {
		seen = append(seen, <-answered)
	}
	assert.Equal(t, []string{
		"get widgets/history default/first 200", "get widgets/history default/first 200",
		"create widgets/undo default/first 201", "create widgets/undo default/first 201",
		"create widgets/undo default/first 404", "delete widgets/history default/first 200",
	}, seen)
}
