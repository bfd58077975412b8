package crd_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Every path of a column is accepted, and its kind is served. A path that cannot be read shows nothing.
func TestColumnsOfDefinitions(t *testing.T) {
	api := enabled(t, rest.Options{})
	paths := []struct{ path, cell string }{
		{".status.conditions[-1:].type", `"Succeeded"`}, // Kubeflow's TFJob, PyTorchJob and Experiment have it
		{".status.conditions[0:1].type", `"Created"`},
		{".status.conditions[::2].type", `"Created"`},
		{".status.conditions[0,1].type", `"Created"`},
		{".status.conditions[1]['reason','type']", `"Succeeded"`},
		{"..type", `"Created"`},
		{".status.conditions[5].type", `null`},
		{".status.conditions[1:9].type", `null`},
		{".status.conditions.type", `null`},
		{".spec.missing..name", `null`},
		{".spec[", `null`},
		{".spec[a]", `null`},
		{".spec....teeth", `null`},
		{".status.conditions[?(@.type=~'S')].type", `null`},
		{".a}", `null`},
		{strings.Repeat(".a", 3000), `null`},
	}
	var columns []string
	for i, c := range paths {
		columns = append(columns, fmt.Sprintf(`{name: "c%d", type: string, jsonPath: %q}`, i, c.path))
	}
	definition := strings.Replace(gears, "    served: true",
		"    additionalPrinterColumns: ["+strings.Join(columns, ", ")+"]\n    served: true", 1)
	definition = strings.Replace(definition, "{turns: {type: integer}}",
		"{conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}}", 1)
	definition = strings.Replace(definition, "subresources: {status: {}}", "subresources: {}", 1)
	var answer map[string]any
	require.Equal(t, 201, send(t, api, "POST "+definitions, definition, &answer), "%v", answer)
	await(t, api, "gears.example.org", established)
	gear := `{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"a"},"status":{"conditions":[{"type":"Created"},{"type":"Succeeded"}]}}`
	require.Equal(t, 201, send(t, api, "POST "+gearPath, gear, nil))

	r := httptest.NewRequest("GET", gearPath, nil)
	r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var table struct {
		ColumnDefinitions []struct{ Name, Description string }
		Rows              []struct{ Cells []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &table))
	require.Len(t, table.Rows, 1)
	for i, c := range paths {
		assert.Equal(t, c.cell, string(table.Rows[0].Cells[i+1]), c.path)
		assert.Equal(t, "Custom resource definition column (in JSONPath format): "+c.path,
			table.ColumnDefinitions[i+1].Description)
	}
}

// The table of definitions has the columns of kube-apiserver.
func TestTableOfDefinitions(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	api := enabled(t, rest.Options{Now: func() time.Time { return now }})
	several := strings.Replace(strings.Replace(gears, "[gr]", "[gr, gea]", 1), "  versions:\n", `  versions:
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1alpha1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1alpha2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`, 1)
	var answer map[string]any
	require.Equal(t, 201, send(t, api, "POST "+definitions, several, &answer), "%v", answer)
	await(t, api, "gears.example.org", established)

	r := httptest.NewRequest("GET", definitions+"?includeObject=None", nil)
	r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var table apimeta.Table
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &table))
	for i := range table.ColumnDefinitions {
		column := &table.ColumnDefinitions[i]
		assert.NotEmpty(t, column.Description, column.Name)
		column.Description = ""
	}
	assert.Equal(t, []apimeta.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name"},
		{Name: "Scope", Type: "string"},
		{Name: "Versions", Type: "string"},
		{Name: "Created At", Type: "date"},
		{Name: "Group", Type: "string", Priority: 1},
		{Name: "Kind", Type: "string", Priority: 1},
		{Name: "ShortNames", Type: "string", Priority: 1},
		{Name: "Established", Type: "boolean", Priority: 1},
	}, table.ColumnDefinitions)
	require.Len(t, table.Rows, 1)
	cells, err := json.Marshal(table.Rows[0].Cells)
	require.NoError(t, err)
	assert.JSONEq(t, `["gears.example.org","Namespaced","v1(storage),v1alpha1,v2","2026-01-02T03:04:05Z","example.org","Gear","gr,gea",true]`,
		string(cells))
}
