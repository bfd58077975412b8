package crd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
)

// A change that the stored version drops raises the generation, and nothing else changes.
func TestChangeOfDroppedFieldRaisesGeneration(t *testing.T) {
	api := started(t, rest.Options{Logger: discard}, crd.Options{Logger: discard})
	require.Equal(t, 201, send(t, api, "POST "+definitions, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rods.example.org}
spec:
  group: example.org
  names: {plural: rods, kind: Rod}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      size: {type: integer}}}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      size: {type: integer}, only: {type: string}}}}}}}
`, nil))
	await(t, api, "rods.example.org", established)
	require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "a", `{"size":3}`), nil))
	for _, c := range []struct {
		patch      string
		generation int
	}{
		{`{"spec":{"only":"x"}}`, 2},
		{`{"metadata":{"labels":{"of":"b"}}}`, 2},
		{`{"spec":{"only":"x"}}`, 3},
		{`{"spec":{"size":3}}`, 3},
		{`{"spec":{"size":4}}`, 4},
	} {
		var got object
		require.Equal(t, 200, send(t, api, "PATCH "+rodsV2+"/a", c.patch, &got))
		assert.EqualValues(t, c.generation, got["metadata"].(object)["generation"], c.patch)
		assert.NotContains(t, got["spec"], "only")
	}
}
