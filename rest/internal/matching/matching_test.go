package matching_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/matching"
)

// Crate has two versions in two groups, and a status.
type Crate struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Status             struct {
		Full bool `json:"full,omitempty"`
	} `json:"status,omitzero"`
}

// Yard is cluster-scoped.
type Yard struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// request is one write of the test. Writes to crates use the old version.
type request struct{ name, method, path, body string }

const (
	crate = `{"apiVersion":"old.example.com/v1beta1","kind":"Crate","metadata":{"name":"a","labels":{"size":"small"}}}`
	yard  = `{"apiVersion":"example.com/v1","kind":"Yard","metadata":{"name":"a"}}`
	team  = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team","labels":{"stage":"test"}}}`
)

func requests() []request {
	return []request{
		{"space", "POST", "/api/v1/namespaces", team},
		{"respace", "PATCH", "/api/v1/namespaces/team", `{"metadata":{"labels":{"stage":"live"}}}`},
		{"create", "POST", "/apis/old.example.com/v1beta1/namespaces/team/crates", crate},
		{"status", "PATCH", "/apis/old.example.com/v1beta1/namespaces/team/crates/a/status", `{"status":{"full":true}}`},
		{"update", "PATCH", "/apis/old.example.com/v1beta1/namespaces/team/crates/a",
			`{"metadata":{"labels":{"size":"large"}}}`},
		{"delete", "DELETE", "/apis/old.example.com/v1beta1/namespaces/team/crates/a", ""},
		{"yard", "POST", "/apis/example.com/v1/yards", yard},
		{"unspace", "DELETE", "/api/v1/namespaces/team", ""},
	}
}

// outcomes makes the requests, and returns for each of the criteria which writes match it, and in which version.
func outcomes(t *testing.T, criteria []matching.Criteria, kinds ...rest.Definition) []string {
	found, now := make([][]string, len(criteria)), ""
	look := func(ctx context.Context, r *admission.Request) error {
		q := matching.For(r)
		for i := range criteria {
			v, ok, err := q.Match(ctx, &criteria[i])
			switch {
			case err != nil:
				found[i] = append(found[i], now+"!"+err.Error())
			case ok && now != "yard" && !strings.HasSuffix(now, "space"):
				found[i] = append(found[i], now+"="+v.Resource.Version)
			case ok:
				found[i] = append(found[i], now)
			}
		}
		return nil
	}
	api, err := rest.New(rest.Options{Admission: []admission.Hook{{Name: "look", Validate: look}}}, append(kinds,
		rest.Resource[Crate]{Group: "example.com", Version: "v1", Plural: "crates", Versions: []rest.VersionOf[Crate]{
			rest.Converted[Crate](rest.Resource[Crate]{Group: "old.example.com", Version: "v1beta1"}, nil, nil)}},
		rest.Resource[Yard]{Group: "example.com", Version: "v1", Plural: "yards", Scope: rest.ScopeCluster})...)
	require.NoError(t, err)
	defer func() { require.NoError(t, api.Close()) }()
	for _, r := range requests() {
		if strings.HasPrefix(r.path, "/api/") && len(kinds) == 0 {
			continue // this API has no namespaces
		}
		now = r.name
		h := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
		h.Header.Set("Content-Type", "application/json")
		if r.method == "PATCH" {
			h.Header.Set("Content-Type", "application/merge-patch+json")
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, h)
		require.Less(t, w.Code, 300, "%s: %s", r.name, w.Body)
	}
	out := make([]string, len(found))
	for i, matches := range found {
		out[i] = strings.Join(matches, " ")
	}
	return out
}

func everything() matching.Rule {
	return matching.Rule{Operations: []string{"*"}, APIGroups: []string{"*"}, APIVersions: []string{"*"},
		Resources: []string{"*/*"}}
}

func ruleWith(change func(*matching.Rule)) []matching.Rule {
	r := everything()
	change(&r)
	return []matching.Rule{r}
}

func selector(t *testing.T, text string) apimeta.LabelMatcher {
	s, err := apimeta.ParseLabelSelector(text)
	require.NoError(t, err)
	return s
}

func TestMatch(t *testing.T) {
	const all = "space respace create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1 yard unspace"
	cases := []struct {
		name     string
		criteria matching.Criteria
		want     string
	}{
		{"no rules", matching.Criteria{}, ""},
		{"no rules, and all resources", matching.Criteria{AllResources: true}, all},
		{"everything", matching.Criteria{Rules: []matching.Rule{everything()}}, all},
		{"an operation", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) {
			r.Operations = []string{"DELETE", "CONNECT"}
		})}, "delete=v1beta1 unspace"},
		{"a group", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.APIGroups = []string{""} })},
			"space respace unspace"},
		{"a version", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.APIVersions = []string{"v1beta1"} })},
			"create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1"},
		{"resources without subresources",
			matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Resources = []string{"*"} })},
			"space respace create=v1beta1 update=v1beta1 delete=v1beta1 yard unspace"},
		{"a resource", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Resources = []string{"crates"} })},
			"create=v1beta1 update=v1beta1 delete=v1beta1"},
		{"a subresource", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) {
			r.Resources = []string{"crates/status"}
		})}, "status=v1beta1"},
		{"a resource and its subresources",
			matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Resources = []string{"crates/*"} })},
			"create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1"},
		{"a subresource of all", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) {
			r.Resources = []string{"*/status"}
		})}, "status=v1beta1"},
		{"cluster scope", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Scope = "Cluster" })},
			"space respace yard unspace"},
		{"namespaced scope", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Scope = "Namespaced" })},
			"create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1"},
		{"both scopes", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Scope = "*" })}, all},
		{"an unknown scope", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Scope = "Galaxy" })}, ""},
		{"a name", matching.Criteria{Rules: ruleWith(func(r *matching.Rule) { r.Names = []string{"team"} })},
			"space respace unspace"},
		{"another version, exactly",
			matching.Criteria{Rules: ruleWith(func(r *matching.Rule) {
				r.APIGroups, r.Resources = []string{"example.com"}, []string{"crates"}
			})}, ""},
		{"an equivalent version", matching.Criteria{Equivalent: true, Rules: ruleWith(func(r *matching.Rule) {
			r.APIGroups, r.APIVersions, r.Resources = []string{"example.com"}, []string{"v1"},
				[]string{"crates", "crates/status"}
		})}, "create=v1 status=v1 update=v1 delete=v1"},
		{"a name in an equivalent version", matching.Criteria{Equivalent: true, Rules: ruleWith(func(r *matching.Rule) {
			r.APIGroups, r.Resources, r.Names = []string{"example.com"}, []string{"crates"}, []string{"b"}
		})}, ""},
		{"the version of the request before an equivalent one",
			matching.Criteria{Equivalent: true,
				Rules: append(ruleWith(func(r *matching.Rule) { r.APIVersions = []string{"v1"} }),
					ruleWith(func(r *matching.Rule) { r.APIVersions = []string{"v1beta1"} })...)}, all},
		{"an excluded resource", matching.Criteria{AllResources: true,
			Exclude: ruleWith(func(r *matching.Rule) { r.Resources = []string{"crates/*"} })}, "space respace yard unspace"},
		{"an excluded name", matching.Criteria{AllResources: true,
			Exclude: ruleWith(func(r *matching.Rule) { r.Names = []string{"a"} })}, "space respace unspace"},
		{"an excluded equivalent version", matching.Criteria{AllResources: true, Equivalent: true,
			Exclude: ruleWith(func(r *matching.Rule) { r.APIGroups = []string{"example.com"} })},
			"space respace unspace"},
		{"labels of the namespace", matching.Criteria{AllResources: true, Namespaces: selector(t, "stage=live")},
			"respace create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1 yard unspace"},
		{"the name of the namespace",
			matching.Criteria{AllResources: true, Namespaces: selector(t, "kubernetes.io/metadata.name notin (team)")}, "yard"},
		{"labels of the new or the old object", matching.Criteria{AllResources: true, Objects: selector(t, "size=small")},
			"create=v1beta1 status=v1beta1 update=v1beta1"},
		{"a missing label of an object", matching.Criteria{AllResources: true, Objects: selector(t, "!size")},
			"space respace yard unspace"},
		{"both selectors", matching.Criteria{AllResources: true, Namespaces: selector(t, "stage=live"),
			Objects: selector(t, "size=large")}, "update=v1beta1 delete=v1beta1"},
	}
	criteria := make([]matching.Criteria, len(cases))
	for i, c := range cases {
		criteria[i] = c.criteria
	}
	for i, got := range outcomes(t, criteria, builtin.Namespaces()) {
		assert.Equal(t, cases[i].want, got, cases[i].name)
	}
}

// Without a kind for namespaces, a namespace has one label: its name.
func TestMatchWithoutNamespaces(t *testing.T) {
	got := outcomes(t, []matching.Criteria{
		{AllResources: true, Namespaces: selector(t, "kubernetes.io/metadata.name=team")},
		{AllResources: true, Namespaces: selector(t, "stage=live")},
	})
	assert.Equal(t, []string{"create=v1beta1 status=v1beta1 update=v1beta1 delete=v1beta1 yard", "yard"}, got)
}
