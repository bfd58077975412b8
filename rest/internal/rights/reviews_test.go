package rights_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

const (
	whoami      = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	mayI        = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	mayThey     = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	mayTheyHere = "/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews"
	myRules     = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
)

// byAlice is the handler behind a middleware that takes everybody for alice.
func byAlice(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		alice := access.User{Name: "alice", UID: "1", Groups: []string{"dev"}, Extra: map[string][]string{"team": {"a"}}}
		api.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), alice)))
	})
}

// reviewing returns an API that serves reviews, and an Authorizer that lets clients create them. decide decides about
// everything else.
func reviewing(t *testing.T, decide access.AuthorizerFunc) *rest.API {
	return apitest.New(t, rest.Options{Authorizer: access.AuthorizerFunc(func(ctx context.Context,
		a access.Access) (access.Decision, error) {
		if a.Verb == "create" && (a.Group == "authorization.k8s.io" || a.Group == "authentication.k8s.io") {
			return access.Allow(""), nil
		}
		return decide(ctx, a)
	}), Plugins: []rest.Plugin{auth.Reviews()}})
}

// allowed is the decision that allows an access.
var allowed = access.Allow("")

// Every API tells clients who they are and what they may do, unless the host says no or does so itself. It tells about
// others only if the host declares that.
func TestSelfReviewsAreServedByDefault(t *testing.T) {
	const question = `{"spec":{"namespace":"team","user":"bob","resourceAttributes":{"verb":"get","resource":"widgets","namespace":"team"}}}`
	codes := func(api *rest.API) (codes []int) {
		for _, target := range []string{whoami, mayI, myRules, mayThey, mayTheyHere} {
			codes = append(codes, apitest.Do(t, api, "POST", target, question).Code)
		}
		return codes
	}
	assert.Equal(t, []int{201, 201, 201, 404, 404}, codes(apitest.New(t, rest.Options{}, apitest.WidgetResource())))
	assert.Equal(t, []int{404, 404, 404, 404, 404},
		codes(apitest.New(t, rest.Options{NoSelfReviews: true}, apitest.WidgetResource())))
	assert.Equal(t, []int{201, 201, 201, 201, 201},
		codes(apitest.New(t, rest.Options{Plugins: []rest.Plugin{auth.Reviews()}})))
	assert.Equal(t, []int{404, 404, 404, 201, 201},
		codes(apitest.New(t, rest.Options{NoSelfReviews: true, Plugins: []rest.Plugin{auth.Reviews()}})))

	own := rest.Resource[apitest.Thing]{Group: "authorization.k8s.io", Version: "v1", Plural: "selfsubjectaccessreviews",
		Scope: rest.ScopeCluster, Names: rest.Names{Kind: "SelfSubjectAccessReview"}}
	api := apitest.New(t, rest.Options{}, own)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", mayI, "").Code, "the host's own kind")
	assert.Equal(t, 201, apitest.Do(t, api, "POST", whoami, "{}").Code)
}

func TestWhoAmI(t *testing.T) {
	api := apitest.New(t, rest.Options{})
	apitest.WantJSON(t, apitest.Do(t, byAlice(api), "POST", whoami,
		`{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`), 201,
		`{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":"`+
			apitest.NowText+`"},"status":{"userInfo":{"username":"alice","uid":"1","groups":["dev"],"extra":{"team":["a"]}}}}`)
	assert.Equal(t, "system:anonymous", apitest.Do(t, api, "POST", whoami, `{}`).Text(t, "status.userInfo.username"))
	assert.Equal(t, 405, apitest.Do(t, api, "GET", whoami, "").Code)
}

// Without an Authorizer everything is allowed except impersonation, and the reviews say so.
func TestReviewsWithoutAnAuthorizer(t *testing.T) {
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{auth.Reviews()}})
	for _, target := range []string{mayI, mayThey} {
		assert.Equal(t, true, apitest.Do(t, api, "POST", target,
			`{"spec":{"user":"a","resourceAttributes":{"verb":"get","resource":"widgets"}}}`).Value(t, "status.allowed"), target)
	}
	for _, verb := range []string{"impersonate", "impersonate:user-info", "impersonate-on:user-info:get"} {
		for _, target := range []string{mayI, mayThey} {
			answer := apitest.Do(t, api, "POST", target,
				`{"spec":{"user":"a","resourceAttributes":{"verb":"`+verb+`","resource":"users"}}}`)
			assert.Equal(t, false, answer.Value(t, "status.allowed"), "the server refuses all impersonation: %s %s", verb,
				target)
		}
	}
	assert.Equal(t, "the server has no authorizer and allows everything except impersonation",
		apitest.Do(t, api, "POST", mayI, `{"spec":{"resourceAttributes":{"verb":"get","resource":"widgets"}}}`).Text(t,
			"status.reason"))
	verbs := []any{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	assert.Equal(t, map[string]any{"incomplete": false,
		"resourceRules":    []any{map[string]any{"verbs": verbs, "apiGroups": []any{"*"}, "resources": []any{"*"}}},
		"nonResourceRules": []any{map[string]any{"verbs": []any{"*"}, "nonResourceURLs": []any{"*"}}},
	}, apitest.Do(t, api, "POST", myRules, `{"spec":{"namespace":"team"}}`).Value(t, "status"))
}

func TestAccessReviews(t *testing.T) {
	var asked []access.Access
	api := reviewing(t, func(_ context.Context, a access.Access) (access.Decision, error) {
		asked = append(asked, a)
		if a.User.Name == "alice" {
			return allowed, nil
		}
		return access.NoOpinion("only alice may"), nil
	})
	alice := access.User{Name: "alice", UID: "1", Groups: []string{"dev"}, Extra: map[string][]string{"team": {"a"}}}
	const resource = `"resourceAttributes":{"verb":"get","group":"example.com","version":"v1","resource":"widgets","subresource":"status","namespace":"team","name":"a"}`
	ofResource := func(u access.User) access.Access {
		return access.Access{User: u, Verb: "get", Group: "example.com", Version: "v1", Resource: "widgets",
			Subresource: "status", Namespace: "team", Name: "a"}
	}
	const path = `"nonResourceAttributes":{"verb":"get","path":"/version"}`
	for _, c := range []struct {
		name, target, spec string
		allowed            bool
		reason             string
		want               access.Access
	}{
		{"oneself", mayI, resource, true, "", ofResource(alice)},
		{"oneself, a path", mayI, path, true, "", access.Access{User: alice, Verb: "get", Path: "/version"}},
		{"oneself, by another name", mayI, resource + `,"user":"bob"`, true, "", ofResource(alice)},
		{"another", mayThey, resource + `,"user":"bob","uid":"2","groups":["ops"],"extra":{"k":["v"]}`, false,
			"only alice may", ofResource(access.User{Name: "bob", UID: "2", Groups: []string{"ops"},
				Extra: map[string][]string{"k": {"v"}}})},
		{"a group", mayThey, path + `,"groups":["ops"]`, false, "only alice may",
			access.Access{User: access.User{Groups: []string{"ops"}}, Verb: "get", Path: "/version"}},
		{"another in a namespace", mayTheyHere, resource + `,"user":"alice"`, true, "", ofResource(access.User{Name: "alice"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked = nil
			a := apitest.Do(t, byAlice(api), "POST", c.target, `{"spec":{`+c.spec+`}}`)
			require.Equal(t, 201, a.Code, a.Body)
			assert.Equal(t, c.allowed, a.Value(t, "status.allowed"))
			if c.reason != "" {
				assert.Equal(t, c.reason, a.Text(t, "status.reason"))
			}
			assert.Equal(t, []access.Access{c.want}, asked)
			if c.target == mayI {
				assert.NotContains(t, a.Body, `"user":`, "who asks about itself does not say who that is")
			}
		})
	}
}

// A question that nobody can answer is refused before the host is asked.
func TestAccessReviewWithoutAttributes(t *testing.T) {
	api := reviewing(t, func(context.Context, access.Access) (access.Decision, error) {
		t.Error("the host was asked")
		return allowed, nil
	})
	const one = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
	const resource, path = `"resourceAttributes":{"verb":"get","resource":"widgets","namespace":"other"}`,
		`"nonResourceAttributes":{"verb":"get","path":"/version"}`
	for _, c := range []struct{ target, spec, want string }{
		{mayI, ``, "spec: Invalid value: null: " + one},
		{mayI, resource + "," + path, one},
		{mayThey, resource, `spec.user: Invalid value: "": at least one of user or group must be specified`},
		{mayTheyHere, resource + `,"user":"bob"`,
			`spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace`},
		{mayTheyHere, path + `,"user":"bob"`, "disallowed on this kind of request"},
	} {
		a := apitest.Do(t, api, "POST", c.target, `{"spec":{`+c.spec+`}}`)
		assert.Equal(t, 422, a.Code, a.Body)
		assert.Contains(t, a.Text(t, "message"), c.want)
	}
}

// A decision that cannot be made is neither yes nor no.
func TestFailingAuthorizer(t *testing.T) {
	fails := func(err error) *rest.API {
		return reviewing(t, func(context.Context, access.Access) (access.Decision, error) { return access.Decision{}, err })
	}
	const question = `{"spec":{"nonResourceAttributes":{"verb":"get","path":"/version"}}}`
	a := apitest.Do(t, fails(errors.New("secret")), "POST", mayI, question)
	assert.Equal(t, 500, a.Code)
	assert.NotContains(t, a.Body, "secret")
	apitest.WantFailure(t, apitest.Do(t, fails(status.ServiceUnavailable("the directory is down")), "POST", mayI,
		question), 503, "ServiceUnavailable", "the directory is down", "")
}

// An authorizer that is a function cannot list rules, and the answer says so.
func TestRulesReview(t *testing.T) {
	api := reviewing(t, func(context.Context, access.Access) (access.Decision, error) { return allowed, nil })
	a := apitest.Do(t, api, "POST", myRules, `{"spec":{"namespace":"team"}}`)
	require.Equal(t, 201, a.Code, a.Body)
	assert.Equal(t, map[string]any{"resourceRules": []any{}, "nonResourceRules": []any{}, "incomplete": true,
		"evaluationError": "the server decides about each access by itself and keeps no list of rules"}, a.Value(t, "status"))
}

func TestReviewsHaveNoTable(t *testing.T) {
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{auth.Reviews()}})
	const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
	for _, target := range []string{mayI, whoami} {
		apitest.WantFailure(t, apitest.Do(t, api, "POST", target, `{}`, "Accept", asTable), 406, "NotAcceptable",
			"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", "")
		assert.NotEqual(t, "Table", apitest.Must(t, api, "POST", target,
			`{"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`, "Accept", asTable+",application/json").Text(t,
			"kind"))
	}
}
