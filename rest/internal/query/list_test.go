package query_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestFieldQuery(t *testing.T) {
	api := newCrates(t, rest.Options{})
	fill(t, api)
	for query, want := range map[string][]string{
		"spec.size>=10":                                    {"a/db-1", "a/web-2"},
		"spec.size>9,spec.size<100":                        {"a/web-2"},
		"spec.size<=9":                                     {"a/web-1", "b/web-1", "b/web-3"},
		"spec.size=010":                                    {"a/web-2"},
		"spec.size in (100,9),spec.color=red":              {"a/db-1", "a/web-1"},
		"spec.size notin (9,10)":                           {"a/bare", "a/db-1", "b/web-3"},
		"spec.size=":                                       {"a/bare"},
		"spec.size!=":                                      {"a/db-1", "a/web-1", "a/web-2", "b/web-1", "b/web-3"},
		"spec.color in (red,blue)":                         {"a/db-1", "a/web-1", "a/web-2", "b/web-3"},
		`spec.color="dark red"`:                            {"b/web-1"},
		"spec.color^=d":                                    {"b/web-1"},
		"spec.color<dark":                                  {"a/web-2", "b/web-3"},
		"spec.color!=red,metadata.name^=web-":              {"a/web-2", "b/web-1", "b/web-3"},
		"metadata.namespace=b":                             {"b/web-1", "b/web-3"},
		"metadata.namespace>a,metadata.name in (web-3)":    {"b/web-3"},
		"metadata.creationTimestamp>=2026-01-02T03:04:05Z": {"a/bare", "a/db-1", "a/web-1", "a/web-2", "b/web-1", "b/web-3"},
		"metadata.creationTimestamp<2026-01-02T03:04:05Z":  nil,
		"metadata.labels.tier=gold":                        {"a/web-1", "a/web-2"},
		"metadata.labels.tier>gold":                        {"b/web-1"},
		"metadata.labels.tier=":                            {"a/bare", "a/db-1", "b/web-3"},
		"metadata.labels.app^=w":                           {"a/web-1", "b/web-1"},
		"spec.size>1000000000000000000000000":              nil,
	} {
		t.Run(query, func(t *testing.T) {
			answer := apitest.Do(t, api, "GET", with(allCrates, "fieldQuery", query), "")
			assert.Equal(t, want, found(t, answer))
			assert.Equal(t, "fieldQuery", answer.Header.Get(rest.AppliedParameters))
			var inPages []string
			for token := ""; ; {
				page := apitest.Do(t, api, "GET", with(allCrates, "fieldQuery", query, "limit", "1", "continue", token), "")
				inPages = append(inPages, found(t, page)...)
				if token = page.Text(t, "metadata.continue"); token == "" {
					break
				}
			}
			assert.Equal(t, want, inPages)
		})
	}
	assert.Equal(t, []string{"a/web-2"}, found(t, apitest.Do(t, api, "GET",
		with(crates, "fieldQuery", "spec.size>1", "labelSelector", "tier", "fieldSelector", "spec.color=blue"), "")),
		"all selectors must match")
}

func TestSortBy(t *testing.T) {
	api := newCrates(t, rest.Options{})
	fill(t, api)
	for sortBy, want := range map[string][]string{
		"spec.size":                     {"b/web-3", "a/web-1", "b/web-1", "a/web-2", "a/db-1", "a/bare"},
		"-spec.size":                    {"a/db-1", "a/web-2", "a/web-1", "b/web-1", "b/web-3", "a/bare"},
		"spec.color,-spec.size":         {"a/web-2", "b/web-3", "b/web-1", "a/db-1", "a/web-1", "a/bare"},
		"-spec.color , metadata.name":   {"a/db-1", "a/web-1", "b/web-1", "a/web-2", "b/web-3", "a/bare"},
		"metadata.name":                 {"a/bare", "a/db-1", "a/web-1", "b/web-1", "a/web-2", "b/web-3"},
		"-metadata.namespace":           {"b/web-1", "b/web-3", "a/bare", "a/db-1", "a/web-1", "a/web-2"},
		"metadata.labels.tier":          {"a/web-1", "a/web-2", "b/web-1", "a/bare", "a/db-1", "b/web-3"},
		"metadata.creationTimestamp":    {"a/bare", "a/db-1", "a/web-1", "a/web-2", "b/web-1", "b/web-3"},
		"metadata.labels.app,spec.size": {"a/db-1", "a/web-1", "b/web-1", "b/web-3", "a/web-2", "a/bare"},
	} {
		t.Run(sortBy, func(t *testing.T) {
			assert.Equal(t, want, found(t, apitest.Do(t, api, "GET", with(allCrates, "sortBy", sortBy), "")))
			for _, limit := range []string{"1", "2", "5"} {
				var inPages []string
				for token := ""; ; {
					page := apitest.Do(t, api, "GET", with(allCrates, "sortBy", sortBy, "limit", limit, "continue", token), "")
					inPages = append(inPages, found(t, page)...)
					if token = page.Text(t, "metadata.continue"); token == "" {
						break
					}
				}
				assert.Equal(t, want, inPages, "in pages of %s", limit)
			}
		})
	}
	table := apitest.Do(t, api, "GET", with(crates, "sortBy", "-spec.size", "limit", "1"), "", "Accept",
		"application/json;as=Table;v=v1;g=meta.k8s.io")
	assert.Contains(t, table.Raw, `"cells":["db-1"`)
}

// The pages of a sorted list show one revision, even if other clients write meanwhile, until the store drops that
// revision.
func TestSortedPagesAreOneState(t *testing.T) {
	store := apitest.NewStore(t)
	api := newCrates(t, rest.Options{Store: store})
	fill(t, api)
	first := apitest.Do(t, api, "GET", with(allCrates, "sortBy", "spec.size", "limit", "3"), "")
	require.Equal(t, []string{"b/web-3", "a/web-1", "b/web-1"}, found(t, first))
	apitest.MergePatch(t, api, crates+"/web-2", `{"spec":{"size":0}}`)
	apitest.Must(t, api, "DELETE", crates+"/db-1", "")
	apitest.Must(t, api, "POST", crates, crate("late", "red", 11, ""))
	rest1 := with(allCrates, "sortBy", "spec.size", "limit", "3", "continue", first.Text(t, "metadata.continue"))
	second := apitest.Do(t, api, "GET", rest1, "")
	assert.Equal(t, []string{"a/web-2", "a/db-1", "a/bare"}, found(t, second))
	assert.Equal(t, first.ResourceVersion(t), second.ResourceVersion(t))

	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	expired := apitest.Do(t, api, "GET", rest1, "")
	require.Equal(t, http.StatusGone, expired.Code, expired.Raw)
	token := apitest.StatusOf(t, expired).Continue
	require.NotEmpty(t, token, "the error has a token that continues in the present state")
	assert.Equal(t, []string{"a/late", "a/bare"},
		found(t, apitest.Do(t, api, "GET", with(allCrates, "sortBy", "spec.size", "continue", token), "")))
}

func TestRefusedQueries(t *testing.T) {
	api := newCrates(t, rest.Options{})
	fill(t, api)
	token := apitest.Do(t, api, "GET", with(allCrates, "sortBy", "spec.size", "limit", "1"), "").Text(t,
		"metadata.continue")
	const fields = "queries of crates.example.com may name metadata.name, metadata.namespace, metadata.creationTimestamp, metadata.labels.KEY, spec.color, spec.size"
	for name, c := range map[string]struct{ method, target, message string }{
		"syntax": {"GET", with(crates, "fieldQuery", "spec.size>>1"),
			`invalid fieldQuery: put the value before byte 10 in quotes if it contains white space or one of =!<>^()",`},
		"unknown field": {"GET", with(crates, "fieldQuery", "spec.weight>1"),
			"field label not supported: spec.weight; " + fields},
		"label key": {"GET", with(crates, "fieldQuery", "metadata.labels.>1"),
			"field label not supported: metadata.labels.; " + fields},
		"no number": {"GET", with(crates, "fieldQuery", "spec.size>big"),
			`invalid fieldQuery: spec.size is a number, and "big" is not an integer`},
		"unknown order": {"GET", with(crates, "sortBy", "spec.weight"),
			"field label not supported: spec.weight; " + fields},
		"sorted watch":    {"GET", with(crates, "sortBy", "spec.size", "watch", "1"), "sortBy is allowed for lists only"},
		"sorted deletion": {"DELETE", with(crates, "sortBy", "spec.size"), "sortBy is allowed for lists only"},
		"other order": {"GET", with(allCrates, "sortBy", "spec.color", "continue", token),
			`invalid continue token: continue key is not valid: it belongs to a list that is sorted by "spec.size"`},
		"no order": {"GET", with(allCrates, "continue", token),
			`invalid continue token: continue key is not valid: it belongs to a list that is sorted by "spec.size"`},
	} {
		t.Run(name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), 400, "BadRequest", c.message, "")
		})
	}
}

func TestMaxVisits(t *testing.T) {
	api := newCrates(t, rest.Options{Queries: &rest.Queries{MaxVisits: 4}})
	fill(t, api)
	for query, allowed := range map[string]bool{
		with(allCrates, "fieldQuery", "metadata.name^=web"):                               false,
		with(crates, "fieldQuery", "metadata.name^=web"):                                  true,
		with(allCrates, "fieldQuery", "spec.size>=10"):                                    true,
		with(allCrates, "fieldQuery", "spec.size>=10", "sortBy", "metadata.name"):         true,
		with(allCrates, "sortBy", "spec.size", "limit", "2"):                              true,
		with(allCrates, "sortBy", "metadata.name", "limit", "2"):                          false,
		with(allCrates, "fieldQuery", "metadata.name!=web", "watch", "1"):                 false,
		with(oldCrates, "fieldQuery", "spec.tens>=1"):                                     false,
		with(oldCrates, "fieldQuery", "spec.tens>=1", "fieldSelector", "metadata.name=x"): false,
	} {
		if allowed {
			apitest.Must(t, api, "GET", query, "")
			continue
		}
		apitest.WantFailure(t, apitest.Do(t, api, "GET", query, ""), 400, "BadRequest",
			"the query would have to look at more than 4 objects, "+
				"which is the limit of this server: select fewer objects, by a field or label that is indexed", "")
	}
}

// An object enters and leaves a watch as it begins and ceases to match, as with selectors.
func TestWatchByQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newCrates(t, rest.Options{})
		fill(t, api)
		s := apitest.OpenWatch(t, api, with(crates, "watch", "1", "fieldQuery", "spec.size>=10,spec.color in (red,blue)"))
		assert.Len(t, s.Events(), 2)
		for _, size := range []string{"10", "11", "null"} {
			apitest.MergePatch(t, api, crates+"/web-1", `{"spec":{"size":`+size+`}}`)
		}
		apitest.MergePatch(t, api, crates+"/bare", `{"spec":{"size":7}}`)
		events := s.Events()
		require.Len(t, events, 3)
		for i, kind := range []string{"ADDED", "MODIFIED", "DELETED"} {
			assert.Contains(t, events[i], `"type":"`+kind+`"`)
		}
	})
}

// A query names the fields of the version in the URL.
func TestQueryInAnotherVersion(t *testing.T) {
	api := newCrates(t, rest.Options{})
	fill(t, api)
	assert.Equal(t, []string{"a/web-1", "b/web-1", "b/web-3", "a/web-2", "a/db-1"}, found(t, apitest.Do(t, api, "GET",
		with(oldCrates, "sortBy", "spec.tens", "fieldQuery", "spec.tens>=0"), "")))
	assert.Equal(t, []string{"b/web-1"},
		found(t, apitest.Do(t, api, "GET", with(oldCrates, "fieldQuery", "spec.paint^=dark"), "")))
	first := apitest.Do(t, api, "GET", with(oldCrates, "sortBy", "-spec.tens", "limit", "2"), "")
	assert.Equal(t, []string{"a/db-1", "a/web-2"}, found(t, first))
	assert.Equal(t, []string{"a/web-1", "b/web-1", "b/web-3", "a/bare"}, found(t, apitest.Do(t, api, "GET",
		with(oldCrates, "sortBy", "-spec.tens", "continue", first.Text(t, "metadata.continue")), "")))
	for _, field := range []string{"spec.size", "spec.color"} {
		assert.Equal(t, 400, apitest.Do(t, api, "GET", with(oldCrates, "sortBy", field), "").Code)
	}
}

// A server without the extension ignores its parameters, as upstream does, and a client can tell.
func TestQueriesAreOffByDefault(t *testing.T) {
	api := apitest.New(t, rest.Options{}, crateResource())
	fill(t, api)
	answer := apitest.Do(t, api, "GET", with(allCrates, "fieldQuery", "spec.size>>", "sortBy", "nonsense"), "")
	assert.Len(t, found(t, answer), 6)
	assert.Empty(t, answer.Header.Get(rest.AppliedParameters))
	assert.NotContains(t, apitest.Do(t, api, "GET", "/openapi/v3/apis/example.com/v1", "").Raw, "fieldQuery")
	assert.Contains(t, apitest.Do(t, newCrates(t, rest.Options{}), "GET", "/openapi/v3/apis/example.com/v1", "").Raw,
		`"name":"fieldQuery"`)

	server := apitest.Serve(t, api)
	for name, client := range map[string]rest.Client[Crate]{
		"in process": apitest.ClientFor[Crate](t, api),
		"over HTTP":  apitest.ClientForEndpoint(t, rest.Endpoint{URL: server.URL}, crateResource()),
	} {
		t.Run(name, func(t *testing.T) {
			client = client.Namespace("a")
			_, err := client.List(t.Context(), rest.ListOptions{SortBy: "spec.size"})
			assert.True(t, status.IsBadRequest(err), err)
			for _, err := range client.Watch(t.Context(), rest.WatchOptions{FieldQuery: "spec.size>1", ResourceVersion: "1"}) {
				assert.True(t, status.IsBadRequest(err), err)
			}
			_, err = client.DeleteCollection(t.Context(), rest.DeleteOptions{}, rest.ListOptions{FieldQuery: "spec.size>1"})
			assert.True(t, status.IsBadRequest(err), err)
			assert.Len(t, apitest.List(t, api, allCrates).Names(t), 6, "nothing is deleted")
		})
	}
}

func TestClientQueries(t *testing.T) {
	for _, name := range []string{"in process", "over HTTP"} {
		t.Run(name, func(t *testing.T) {
			api := newCrates(t, rest.Options{})
			fill(t, api)
			client := apitest.ClientFor[Crate](t, api)
			if name == "over HTTP" {
				client = apitest.ClientForEndpoint(t, rest.Endpoint{URL: apitest.Serve(t, api).URL}, crateResource())
			}
			var names []string
			for c, err := range client.All(t.Context(),
				rest.ListOptions{FieldQuery: "spec.size>0", SortBy: "-spec.size", Limit: 1}) {
				require.NoError(t, err)
				names = append(names, c.Name)
			}
			assert.Equal(t, []string{"db-1", "web-2", "web-1", "web-1"}, names)
			for e, err := range client.Watch(t.Context(), rest.WatchOptions{FieldQuery: "spec.size>=100"}) {
				require.NoError(t, err)
				assert.Equal(t, "db-1", e.Object.Name)
				assert.Equal(t, apimeta.EventAdded, e.Type)
				break
			}
			deleted, err := client.Namespace("a").DeleteCollection(t.Context(), rest.DeleteOptions{},
				rest.ListOptions{FieldQuery: "spec.size>9"})
			require.NoError(t, err)
			assert.Len(t, deleted.Items, 2)
			assert.Equal(t, []string{"bare", "web-1"}, apitest.List(t, api, crates).Names(t))
		})
	}
}

// restricted lets the user eve access only objects with the label app=web, and everybody else all objects.
var restricted = access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
	if a.User.Name != "eve" || a.Path != "" {
		return access.Allow(""), nil
	}
	labels, err := apimeta.ParseLabelSelector("app=web")
	return access.AllowOnly("", access.Filter{Labels: labels}), err
})

func TestRestrictedUserQueries(t *testing.T) {
	api := newCrates(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: restricted})
	for _, body := range []string{crate("shown", "red", 5, `"app":"web"`), crate("hidden", "red", 7, "")} {
		apitest.Must(t, api, "POST", crates, body, "Test-User", "root")
	}
	for _, query := range []string{with(crates, "sortBy", "-spec.size", "limit", "1"),
		with(crates, "fieldQuery", "spec.size>1"), with(crates, "fieldQuery", "spec.color=red")} {
		assert.Equal(t, []string{"a/shown"}, found(t, apitest.Do(t, api, "GET", query, "", "Test-User", "eve")), query)
	}
}
