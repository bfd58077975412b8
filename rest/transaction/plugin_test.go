package transaction_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/rest/transaction"
)

// Account is a bank account.
type Account struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Balance            int `json:"balance" api:"min=0"`
}

const accounts = "/apis/example.com/v1/namespaces/default/accounts"

// recorder is an observer that notes how each request ended.
type recorder struct{ lines []string }

func (o *recorder) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "recorder", Observer: o}, nil
}

func (o *recorder) Observe(ctx context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	about := fmt.Sprint(r.AuditID, " ", r.Access.User.Name, " ", r.Access.Verb, " ", r.Access.Resource, r.Access.Path, " ",
		r.Access.Name)
	return nil, observe.Observation{
		Changed: func(c observe.ObjectChange) { o.lines = append(o.lines, "changed "+c.Name) },
		Ended:   func(e observe.Ended) { o.lines = append(o.lines, fmt.Sprint(about, " ", e.Code)) },
	}, nil
}

func newAPI(t *testing.T, options rest.Options) *rest.API {
	t.Helper()
	options.Plugins = append(options.Plugins, transaction.New())
	return apitest.New(t, options, rest.Resource[Account]{Group: "example.com", Version: "v1", Plural: "accounts"},
		builtin.Namespaces())
}

// object is the JSON of an account.
func object(metadata string, balance int) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Account","metadata":{%s},"balance":%d}`, metadata, balance)
}

func list(objects ...string) string {
	return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(objects, ",") + `]}`
}

func send(t *testing.T, api http.Handler, query, body string, headers ...string) apitest.Answer {
	t.Helper()
	return apitest.Do(t, api, "POST", transaction.Path+query, body, append(headers, "User-Agent", "kubectl/v1.37.2")...)
}

func balances(t *testing.T, api *rest.API) map[string]int {
	t.Helper()
	all := map[string]int{}
	for a, err := range apitest.ClientFor[Account](t, api).All(t.Context(), rest.ListOptions{}) {
		require.NoError(t, err)
		all[a.Namespace+"/"+a.Name] = a.Balance
	}
	return all
}

func TestObjectsAreStoredTogether(t *testing.T) {
	api := newAPI(t, rest.Options{})
	apitest.Must(t, api, "POST", accounts, object(`"name":"replaced","labels":{"dropped":"x"}`, 1))
	version := apitest.Must(t, api, "POST", accounts, object(`"name":"kept","labels":{"kept":"x"}`, 1)).ResourceVersion(t)
	replaced := apitest.Must(t, api, "GET", accounts+"/replaced", "").ResourceVersion(t)
	body := list(
		`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"new"}}`,
		object(`"namespace":"new","name":"inside"`, 2),
		object(`"generateName":"made-"`, 3),
		object(`"name":"replaced","resourceVersion":"`+replaced+`"`, 4),
		object(`"name":"kept"`, 5),
	)
	rehearsed := send(t, api, "?dryRun=All&force=true", body)
	require.Equal(t, 200, rehearsed.Code, rehearsed.Body)
	assert.Equal(t, map[string]int{"default/replaced": 1, "default/kept": 1}, balances(t, api), "a dry run stores nothing")

	answer := send(t, api, "?force=true", body)
	require.Equal(t, 200, answer.Code, answer.Body)
	made := answer.Text(t, "items.2.metadata.name")
	assert.Equal(t, map[string]int{"new/inside": 2, "default/" + made: 3, "default/replaced": 4, "default/kept": 5},
		balances(t, api))
	assert.Equal(t, "kubectl", answer.Text(t, "items.1.metadata.managedFields.0.manager"))
	for i, path := range []string{
		"/api/v1/namespaces/new", "/apis/example.com/v1/namespaces/new/accounts/inside", accounts + "/" + made,
		accounts + "/replaced",
		accounts + "/kept",
	} {
		stored := apitest.Must(t, api, "GET", path, "")
		assert.JSONEq(t, stored.Body, apitest.JSONOf(t, answer.Value(t, fmt.Sprint("items.", i))), path)
	}
	assert.NotEqual(t, version, apitest.Must(t, api, "GET", accounts+"/kept", "").ResourceVersion(t))
	assert.NotContains(t, apitest.Must(t, api, "GET", accounts+"/replaced", "").Body, "dropped",
		"a resourceVersion replaces the object")
	assert.Contains(t, apitest.Must(t, api, "GET", accounts+"/kept", "").Body, `"kept":"x"`, "other objects are applied")
}

func TestRefusedTransactionStoresNothing(t *testing.T) {
	api := newAPI(t, rest.Options{})
	apitest.Must(t, api, "POST", accounts, object(`"name":"old"`, 1))
	good := object(`"name":"good"`, 1)
	for name, c := range map[string]struct {
		query, body string
		code        int
		causes      []string // the fields
		message     string
	}{
		"an invalid object": {"", list(good, object(`"name":"bad"`, -1)), 422, []string{"items[1].balance"}, `Account "bad"`},
		"several": {"", list(object(`"name":"a"`, -1), good, object(`"namespace":"none","name":"b"`, 1)), 422,
			[]string{"items[0].balance", "items[2]"}, `namespaces "none" not found`},
		"an outdated version": {"", list(good, object(`"name":"old","resourceVersion":"1"`, 2)), 409, []string{"items[1]"},
			"items[1]"},
		"an unknown field": {"?fieldValidation=Strict", list(good, strings.Replace(good, `"balance"`, `"other"`, 1)),
			400, []string{"items[1]"}, "other"},
		"a field of another": {"?fieldManager=second", list(good, object(`"name":"old"`, 2)), 409,
			[]string{"items[1].balance"}, "conflict"},
		"an unknown kind": {"", list(good, `{"apiVersion":"v1","kind":"None","metadata":{"name":"x"}}`), 404,
			[]string{"items[1]"}, `no kind "None"`},
		"a bad name": {"", list(good, object(`"name":"../x"`, 1)), 404, []string{"items[1]"}, ""},
		"a name twice": {"", list(good, object(`"name":"good","resourceVersion":"1"`, 1)), 409, []string{"items[1]"},
			""},
		"no list":             {"", good, 400, nil, "must be a List"},
		"no object":           {"", list(`3`), 400, nil, "items[0]"},
		"no JSON and no YAML": {"", "}", 400, nil, "neither JSON nor YAML"},
		"a key twice":         {"", "kind: List\nkind: List\n", 400, nil, `key "kind" already set`},
		"many aliases": {"", "text: &text " + strings.Repeat("x", 64<<10) + "\napiVersion: v1\nkind: List\nitems: []\nall: [" +
			strings.Repeat("*text,", 100) + "]\n", 400, nil, "too large once its aliases are resolved"},
		"an unknown parameter": {"?watch=1", list(good), 400, nil, `"watch"`},
		"a wrong dry run":      {"?dryRun=Some", list(good), 400, nil, "dryRun"},
		"too many": {"", list(strings.Split(strings.Repeat(good+";", 101), ";")[:101]...), 413, nil,
			"100 objects"},
		"too large": {"", list(object(`"name":"`+strings.Repeat("x", 3<<20)+`"`, 1)), 413, nil, "limit is 3145728"},
		"rehearsed and invalid": {"?dryRun=All", list(good, object(`"name":"bad"`, -1)), 422, []string{"items[1].balance"},
			""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := send(t, api, c.query, c.body)
			s := apitest.StatusOf(t, answer)
			assert.EqualValues(t, c.code, s.Code, answer.Body)
			assert.Contains(t, s.Message, c.message)
			var fields []string
			if s.Details != nil {
				for _, cause := range s.Details.Causes {
					fields = append(fields, cause.Field)
				}
			}
			assert.Equal(t, c.causes, fields, answer.Body)
			assert.Equal(t, map[string]int{"default/old": 1}, balances(t, api))
		})
	}
	assert.Equal(t, 405, apitest.Do(t, api, "GET", transaction.Path, "").Code)
}

// kubectl sends the file as it is.
func TestBodyMayBeYAML(t *testing.T) {
	api := newAPI(t, rest.Options{})
	answer := send(t, api, "", `
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Account
  metadata: {name: a}
  balance: 1
`, "Content-Type", "application/json")
	require.Equal(t, 200, answer.Code, answer.Body)
	assert.Equal(t, map[string]int{"default/a": 1}, balances(t, api))
	require.Equal(t, 200, send(t, api, "", list()).Code)
}

// Each object needs the rights that its request alone would need, and the answer says no more than the answer to that.
func TestRightsAreThoseOfEachObject(t *testing.T) {
	api := newAPI(t, rest.Options{
		Authenticator: apitest.UserFromHeader,
		Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			if a.User.Name == "root" || a.Path != "" || a.Namespace == "default" && a.Name != "hidden" {
				return access.Allow(""), nil
			}
			return access.NoOpinion(""), nil
		}),
	})
	apitest.Must(t, api, "POST", accounts, object(`"name":"hidden"`, 77), "Test-User", "root")
	body := list(object(`"name":"mine"`, 1), object(`"name":"hidden"`, 2),
		object(`"name":"absent","namespace":"other"`, 2))
	answer := send(t, api, "", body, "Test-User", "jane")
	s := apitest.StatusOf(t, answer)
	assert.EqualValues(t, 403, s.Code)
	require.Len(t, s.Details.Causes, 2)
	assert.NotContains(t, answer.Body, "77")
	alone := apitest.Do(t, api, "PATCH", accounts+"/hidden?fieldManager=kubectl", object(`"name":"hidden"`, 2),
		"Test-User", "jane", "Content-Type", apitest.TypeApply)
	assert.Equal(t, `Account "hidden": `+apitest.StatusOf(t, alone).Message, s.Details.Causes[0].Message)
	assert.Equal(t, map[string]int{"default/hidden": 77}, balances(t, api))
	assert.Equal(t, 200, send(t, api, "", list(object(`"name":"mine"`, 1)), "Test-User", "jane").Code)
	assert.Equal(t, 401, send(t, api, "", body).Code)
}

// Observers see a request for each object, with the user and the audit ID of the transaction, and each change after the
// commit.
func TestObjectsAreObserved(t *testing.T) {
	seen := &recorder{}
	api := newAPI(t, rest.Options{Authenticator: apitest.UserFromHeader, Plugins: []rest.Plugin{seen},
		Limits: rest.Limits{MaxInFlight: 1}})
	headers := []string{"Test-User", "jane", "Audit-ID", "id-1"}
	answer := send(t, api, "", list(object(`"name":"a"`, 1), object(`"name":"b"`, 2)), headers...)
	require.Equal(t, 200, answer.Code, answer.Body)
	assert.ElementsMatch(t, []string{
		"id-1 jane patch accounts a 201", "id-1 jane patch accounts b 201", "id-1 jane post " + transaction.Path + "  200",
	}, withoutChanges(seen.lines))
	seen.lines = nil
	assert.Equal(t, 422, send(t, api, "", list(object(`"name":"c"`, 1), object(`"name":"d"`, -2)), headers...).Code)
	assert.Equal(t, []string{
		"id-1 jane patch accounts c 201", "id-1 jane patch accounts d 422", "id-1 jane post " + transaction.Path + "  422",
	}, seen.lines)
}

func withoutChanges(lines []string) (rest []string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "changed") {
			rest = append(rest, line)
		}
	}
	return rest
}

// A watch of another API over the same store gets the changes at neighboring revisions.
func TestAnotherReplicaShowsTheGroup(t *testing.T) {
	store := apitest.NewStore(t)
	here, there := newAPI(t, rest.Options{Store: store}), newAPI(t, rest.Options{Store: store})
	client := apitest.ClientFor[Account](t, there)
	page, err := client.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, 200, send(t, here, "",
		list(object(`"name":"a"`, 1), object(`"name":"b"`, 2), object(`"name":"c"`, 3))).Code)
	var names []string
	for e, err := range client.Watch(t.Context(), rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
		require.NoError(t, err)
		if names = append(names, e.Object.Name); len(names) == 3 {
			break
		}
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
}

// Without the plug-in, the path does not exist; with it, the paths at the root contain it.
func TestClientsFindOut(t *testing.T) {
	assert.Contains(t, apitest.Must(t, newAPI(t, rest.Options{}), "GET", "/", "").Body, transaction.Path)
	without := apitest.New(t, rest.Options{})
	assert.NotContains(t, apitest.Must(t, without, "GET", "/", "").Body, transaction.Path)
	assert.Equal(t, 404, apitest.Do(t, without, "POST", transaction.Path, list()).Code)
	plugin := transaction.New()
	_, err := rest.New(rest.Options{Plugins: []rest.Plugin{plugin, plugin}})
	assert.ErrorContains(t, err, "another API")
}
