package query_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
)

func TestFacets(t *testing.T) {
	api := newCrates(t, rest.Options{})
	fill(t, api)
	answer := apitest.Do(t, api, "GET",
		with(allCrates, "facets", "spec.color,metadata.labels.tier", "fieldQuery", "spec.size>=0"), "")
	apitest.WantJSON(t, answer, 200,
		`{"kind":"Counts","apiVersion":"queries.decorum-go.github.io/v1","metadata":{"resourceVersion":"7"},"total":5,"facets":[`+
			`{"field":"spec.color","values":[{"value":"blue","count":2},{"value":"red","count":2},{"value":"dark red","count":1}],"absent":0,"others":0},`+
			`{"field":"metadata.labels.tier","values":[{"value":"gold","count":2},{"value":"iron","count":1}],"absent":2,"others":0}]}`)
	assert.Equal(t, "fieldQuery, facets", answer.Header.Get(rest.AppliedParameters))

	table := apitest.Do(t, api, "GET", with(crates, "facets", "spec.size"), "", "Accept",
		"application/json;as=Table;v=v1;g=meta.k8s.io")
	var rows struct{ Rows []struct{ Cells []any } }
	table.Decode(t, &rows)
	var cells [][]any
	for _, row := range rows.Rows {
		cells = append(cells, row.Cells)
	}
	assert.Equal(t, [][]any{{"spec.size", "9", 1.0}, {"spec.size", "10", 1.0}, {"spec.size", "100", 1.0},
		{"spec.size", "<none>", 1.0}}, cells, "numbers with the same count are in the order of numbers")
	assert.Contains(t, apitest.Do(t, api, "GET", with(crates, "facets", "spec.size"), "", "Accept",
		"application/yaml").Raw, "kind: Counts")
	assert.Contains(t, apitest.Do(t, api, "GET", with(oldCrates, "facets", "spec.paint", "labelSelector", "app"), "").Raw,
		`"values":[{"value":"red","count":2},{"value":"dark red","count":1}]`)
	assert.Contains(t, apitest.Do(t, api, "GET", with(crates, "facets", "spec.color", "labelSelector", "none"), "").Raw,
		`"total":0,"facets":[{"field":"spec.color","values":[]`)
}

func TestFacetsAreLimited(t *testing.T) {
	api := newCrates(t, rest.Options{Queries: &rest.Queries{MaxVisits: 5, MaxValues: 1}})
	fill(t, api)
	assert.Contains(t, apitest.Do(t, api, "GET", with(crates, "facets", "spec.color"), "").Raw,
		`"values":[{"value":"red","count":2}],"absent":1,"others":1`)
	assert.Equal(t, 400, apitest.Do(t, api, "GET", with(allCrates, "facets", "spec.color"), "").Code)
	for name, parameters := range map[string][]string{
		"sorted":  {"facets", "spec.color", "sortBy", "spec.color"},
		"paged":   {"facets", "spec.color", "limit", "1"},
		"watched": {"facets", "spec.color", "watch", "1"},
		"unknown": {"facets", "spec.weight"},
	} {
		answer := apitest.Do(t, api, "GET", with(crates, parameters...), "")
		assert.Equal(t, 400, answer.Code, name)
	}
	assert.Equal(t, 400, apitest.Do(t, api, "DELETE", with(crates, "facets", "spec.color"), "").Code)
	assert.Len(t, apitest.List(t, api, crates).Names(t), 4)
	for _, accept := range []string{"application/vnd.kubernetes.protobuf",
		"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"} {
		assert.Equal(t, 406, apitest.Do(t, api, "GET", with(crates, "facets", "spec.color"), "", "Accept", accept).Code,
			accept)
	}
}

func TestClientCount(t *testing.T) {
	api, plain := newCrates(t, rest.Options{}), apitest.New(t, rest.Options{}, crateResource())
	fill(t, api)
	client := func(of *rest.API, overHTTP bool) rest.Client[Crate] {
		if overHTTP {
			return apitest.ClientForEndpoint(t, rest.Endpoint{URL: apitest.Serve(t, of).URL}, crateResource())
		}
		return apitest.ClientFor[Crate](t, of)
	}
	for name, overHTTP := range map[string]bool{"in process": false, "over HTTP": true} {
		t.Run(name, func(t *testing.T) {
			counts, err := client(api, overHTTP).Namespace("a").Count(t.Context(),
				rest.CountOptions{FieldQuery: "spec.size<100", By: []string{"spec.color"}})
			require.NoError(t, err)
			assert.Equal(t, int64(2), counts.Total)
			assert.Equal(t, []queries.Facet{{Field: "spec.color",
				Values: []queries.ValueCount{{Value: "blue", Count: 1}, {Value: "red", Count: 1}}}}, counts.Facets)
			_, err = client(api, overHTTP).Count(t.Context(), rest.CountOptions{})
			assert.True(t, status.IsBadRequest(err), err)
			_, err = client(plain, overHTTP).Count(t.Context(), rest.CountOptions{By: []string{"spec.color"}})
			assert.True(t, status.IsBadRequest(err), err)
		})
	}
}

func TestRestrictedUserCounts(t *testing.T) {
	api := newCrates(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: restricted})
	for _, body := range []string{crate("shown", "red", 5, `"app":"web"`), crate("hidden", "blue", 7, "")} {
		apitest.Must(t, api, "POST", crates, body, "Test-User", "root")
	}
	answer := apitest.Do(t, api, "GET", with(crates, "facets", "spec.color"), "", "Test-User", "eve")
	assert.Contains(t, answer.Raw,
		`"total":1,"facets":[{"field":"spec.color","values":[{"value":"red","count":1}],"absent":0,"others":0}]`)
}
