package crd_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// Every path of a column is accepted, and its kind is served. A path that cannot be read shows nothing.
func TestColumnsOfDefinitions(t *testing.T) {
	api := enabled(t, rest.Options{})
	paths := []struct{ path, cell string }{
		{".status.conditions[-1:].type", `"Succeeded"`}, // of Kubeflow's TFJob, PyTorchJob and Experiment
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
