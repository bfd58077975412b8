package transaction_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/transaction"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// A role of Kubernetes in one namespace extends to the objects of this namespace, and the path needs a right of its
// own.
func TestRolesOfANamespace(t *testing.T) {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	users := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		name := r.Header.Get("Test-User")
		return &access.Identity{User: access.User{Name: name, Groups: map[string][]string{"root": {"admins"}}[name]},
			Headers: []string{"Test-User"}}, nil
	})
	api := newAPI(t, rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles}})
	require.NoError(t, api.Start(t.Context()))
	const group = "/apis/rbac.authorization.k8s.io/v1"
	root := func(path, body string) { apitest.Must(t, api, "POST", path, body, "Test-User", "root") }
	root("/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	root("/api/v1/namespaces", `{"metadata":{"name":"bank"}}`)
	root(group+"/namespaces/shop/roles",
		`{"metadata":{"name":"clerk"},"rules":[{"apiGroups":["example.com"],"resources":["accounts"],"verbs":["create","patch"]}]}`)
	root(group+"/namespaces/shop/rolebindings",
		`{"metadata":{"name":"jane"},"roleRef":{"kind":"Role","name":"clerk"},"subjects":[{"kind":"User","name":"jane"}]}`)
	jane := func(body string) apitest.Answer { return send(t, api, "", body, "Test-User", "jane") }
	inShop := list(object(`"name":"a","namespace":"shop"`, 1), object(`"generateName":"b-","namespace":"shop"`, 2))
	require.Equal(t, 403, jane(inShop).Code, "the path needs a right")

	root(group+"/clusterroles",
		`{"metadata":{"name":"transactions"},"rules":[{"nonResourceURLs":["`+transaction.Path+`"],"verbs":["post"]}]}`)
	root(group+"/clusterrolebindings",
		`{"metadata":{"name":"jane"},"roleRef":{"kind":"ClusterRole","name":"transactions"},"subjects":[{"kind":"User","name":"jane"}]}`)
	answer := jane(list(object(`"name":"a","namespace":"shop"`, 1), object(`"name":"a","namespace":"bank"`, 1),
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"mine"}}`))
	refused := apitest.StatusOf(t, answer)
	assert.EqualValues(t, 403, refused.Code)
	require.Len(t, refused.Details.Causes, 2, answer.Body)
	assert.Equal(t, "items[1]", refused.Details.Causes[0].Field)
	assert.Contains(t, refused.Details.Causes[0].Message, `in the namespace "bank"`)
	assert.Equal(t, "items[2]", refused.Details.Causes[1].Field)
	assert.Empty(t, balances(t, api))

	answer = jane(inShop)
	require.Equal(t, 200, answer.Code, answer.Body)
	assert.Equal(t, map[string]int{"shop/a": 1, "shop/" + answer.Text(t, "items.1.metadata.name"): 2}, balances(t, api))
}

// The audit log has an event for each object and one for the transaction, with the same audit ID.
func TestObjectsAreAudited(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	sink := audit.SinkFunc(func(_ context.Context, events []*audit.Event) error {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range events {
			about := e.RequestURI
			if e.ObjectRef != nil {
				about = e.ObjectRef.Resource + "/" + e.ObjectRef.Name + " " + string(e.RequestObject)
			}
			lines = append(lines, fmt.Sprint(e.AuditID, " ", e.User.Username, " ", e.Verb, " ", e.ResponseStatus.Code, " ", about))
		}
		return nil
	})
	policy, err := audit.ParsePolicy([]byte("apiVersion: audit.k8s.io/v1\nkind: Policy\n" +
		"omitStages: [RequestReceived]\nrules: [{level: None, verbs: [get]}, {level: Request}]\n"))
	require.NoError(t, err)
	records, err := audit.New(audit.Options{Policy: policy, Outputs: []audit.Output{{Sink: sink, Mode: audit.Strict}}})
	require.NoError(t, err)
	api := newAPI(t, rest.Options{Authenticator: apitest.UserFromHeader, Plugins: []rest.Plugin{records}})
	a, b := object(`"name":"a"`, 1), object(`"name":"b"`, -1)
	require.Equal(t, 422, send(t, api, "", list(a, b), "Test-User", "jane", "Audit-ID", "one").Code)
	assert.Equal(t, []string{
		"one jane patch 201 accounts/a " + a, "one jane patch 422 accounts/b " + b, "one jane post 422 " + transaction.Path,
	}, lines)
}

// Objects that exceed a quota together are all refused, and the usage stays.
func TestObjectsAreChargedTogether(t *testing.T) {
	limits := quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
		{Namespace: "default"}: {{Name: "three", Resource: "accounts.example.com", Objects: 3}},
	}))
	store := memory.New(storage.Options{Ledger: limits})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	api := newAPI(t, rest.Options{Store: store})
	apitest.Must(t, api, "POST", accounts, object(`"name":"first"`, 1))
	apitest.Must(t, api, "POST", accounts, object(`"name":"second"`, 1))
	both := list(object(`"name":"third"`, 1), object(`"name":"fourth"`, 1))
	for _, query := range []string{"", "?dryRun=All"} {
		answer := send(t, api, query, both)
		refused := apitest.StatusOf(t, answer)
		assert.EqualValues(t, 403, refused.Code)
		require.Len(t, refused.Details.Causes, 1, answer.Body)
		assert.Equal(t, "items[1]", refused.Details.Causes[0].Field)
		assert.Contains(t, refused.Message, "1 of 2 objects were refused, and nothing was stored: items[1] (Account \"fourth\")")
		assert.Contains(t, refused.Message, "exceeded quota: three")
		assert.Equal(t, map[string]int{"default/first": 1, "default/second": 1}, balances(t, api))
	}
	require.Equal(t, 200, send(t, api, "", list(object(`"name":"third"`, 1))).Code, "the refused ones have taken no place")
	require.Equal(t, 403, send(t, api, "", list(object(`"name":"fourth"`, 1))).Code)
}

// Hooks see each object once, and see a dry run as one. If a hook panics in the middle, nothing is stored.
func TestHooksSeeEachObject(t *testing.T) {
	var seen []string
	api := newAPI(t, rest.Options{Admission: []admission.Hook{{
		Name: "seen.example.com", Resources: []string{"accounts.example.com"},
		Validate: func(_ context.Context, r *admission.Request) error {
			seen = append(seen, fmt.Sprint(r.Operation, " ", r.Name, " ", r.DryRun))
			switch r.Name {
			case "bad":
				return status.BadRequest("bad is refused")
			case "broken":
				panic("a bug in a hook")
			}
			return nil
		},
	}}})
	for query, dry := range map[string]string{"?dryRun=All": "true", "": "false"} {
		seen = nil
		require.Equal(t, 200, send(t, api, query, list(object(`"name":"a`+dry+`"`, 1), object(`"name":"b`+dry+`"`, 1))).Code)
		assert.Equal(t, []string{"CREATE a" + dry + " " + dry, "CREATE b" + dry + " " + dry}, seen)
	}
	stored := map[string]int{"default/afalse": 1, "default/bfalse": 1}
	for name, code := range map[string]int{"bad": 400, "broken": 500} {
		answer := send(t, api, "", list(object(`"name":"x"`, 1), object(`"name":"`+name+`"`, 1), object(`"name":"y"`, -1)))
		refused := apitest.StatusOf(t, answer)
		assert.EqualValues(t, code, refused.Code, answer.Body)
		assert.Len(t, refused.Details.Causes, 2, answer.Body)
		assert.Equal(t, stored, balances(t, api))
	}
}

// A client that leaves in the middle stores nothing.
func TestClientLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	api := newAPI(t, rest.Options{Admission: []admission.Hook{{
		Name: "leaves.example.com", Resources: []string{"accounts.example.com"},
		Validate: func(_ context.Context, r *admission.Request) error {
			if r.Name == "b" {
				leave()
			}
			return nil
		},
	}}})
	r := apitest.NewRequest("POST", transaction.Path,
		apitest.TextOf(list(object(`"name":"a"`, 1), object(`"name":"b"`, 1), object(`"name":"c"`, 1))), "User-Agent", "test")
	assert.GreaterOrEqual(t, apitest.Ask(api, r.WithContext(ctx)).Code, 400)
	assert.Empty(t, balances(t, api))
}
