package openapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/transaction"
)

// operation is what the test reads of an operation.
type operation struct {
	ID          string `json:"operationId"`
	Description string
	Parameters  []struct{ Name, In string }
	Body        struct{ Content map[string]any } `json:"requestBody"`
	Consumes    []string
	Responses   map[string]json.RawMessage
}

// operationOf reads an operation, or fails if the document has none there.
func operationOf(t *testing.T, d apitest.OpenAPIDocument, path, method string) (o operation) {
	t.Helper()
	require.Contains(t, d.Paths[path], method, path)
	require.NoError(t, json.Unmarshal(d.Paths[path][method], &o))
	return o
}

// names returns the names of the parameters of the query.
func (o operation) names() (all []string) {
	for _, p := range o.Parameters {
		all = append(all, p.Name)
	}
	return all
}

const (
	widgetsPath = "/apis/example.com/v1/namespaces/{namespace}/widgets"
	widgetPath  = widgetsPath + "/{name}"
)

// OpenAPI describes the parameters and paths of the extensions that the API has.
func TestOpenAPIDescribesExtensions(t *testing.T) {
	api := apitest.New(t, rest.Options{Queries: &rest.Queries{}, Plugins: []rest.Plugin{transaction.New()}},
		apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) { r.History = &rest.History{} }))
	read := func(target string) apitest.OpenAPIDocument {
		t.Helper()
		return apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", target, ""))
	}
	v2 := read("/openapi/v2")
	for form, documents := range map[string]struct{ kinds, transactions apitest.OpenAPIDocument }{
		"v3": {read("/openapi/v3/apis/example.com/v1"), read("/openapi/v3/extensions/transactions")},
		"v2": {v2, v2},
	} {
		t.Run(form, func(t *testing.T) {
			kinds := documents.kinds
			for _, path := range []string{widgetsPath, "/apis/example.com/v1/widgets"} {
				assert.Subset(t, operationOf(t, kinds, path, "get").names(), []string{"fieldQuery", "sortBy", "facets"}, path)
			}
			assert.Contains(t, operationOf(t, kinds, widgetsPath, "delete").names(), "fieldQuery")
			assert.NotContains(t, operationOf(t, kinds, widgetsPath, "delete").names(), "sortBy")

			past := operationOf(t, kinds, widgetPath+"/history", "get")
			assert.Equal(t, []string{"from", "revision", "to"}, past.names())
			assert.Contains(t, string(past.Responses["200"]), "ObjectVersionList")
			purge := operationOf(t, kinds, widgetPath+"/history", "delete")
			assert.Equal(t, []string{"dryRun"}, slices.DeleteFunc(purge.names(), isBody))
			undo := operationOf(t, kinds, widgetPath+"/undo", "post")
			assert.Equal(t, []string{"dryRun", "fieldManager", "fieldValidation"}, slices.DeleteFunc(undo.names(), isBody))
			assert.Contains(t, string(undo.Responses["200"]), "Widget", "an undo answers with the object")
			assert.NotContains(t, string(undo.Responses["200"]), "UndoRequest")
			assert.Contains(t, kinds.Kind(t, "UndoRequest").Properties, "revision")

			send := operationOf(t, documents.transactions, "/extensions/transactions", "post")
			assert.Equal(t, []string{"dryRun", "fieldManager", "fieldValidation", "force"},
				slices.DeleteFunc(send.names(), isBody))
			assert.ElementsMatch(t, []string{"application/json", "application/yaml"},
				append(send.Consumes, slices.Collect(maps.Keys(send.Body.Content))...))
		})
	}
	var index struct{ Paths map[string]any }
	apitest.Do(t, api, "GET", "/openapi/v3", "").Decode(t, &index)
	assert.Contains(t, index.Paths, "extensions/transactions")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/openapi/v2", "", "Accept",
		"application/com.github.proto-openapi.spec.v2@v1.0+protobuf").Code)
}

func isBody(name string) bool { return name == "body" }

// Without the extensions, the documents do not mention them.
func TestOpenAPIOmitsAbsentExtensions(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, target := range []string{"/openapi/v2", "/openapi/v3/apis/example.com/v1", "/openapi/v3"} {
		text := apitest.Do(t, api, "GET", target, "").Raw
		for _, word := range []string{"fieldQuery", "sortBy", "facets", "/history", "/undo", `transactions":`,
			"An extension"} {
			assert.False(t, strings.Contains(text, word), "%s mentions %s", target, word)
		}
	}
	for _, path := range []string{"watches", "extensions/transactions"} {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", "/openapi/v3/"+path, "").Code, path)
	}
}
