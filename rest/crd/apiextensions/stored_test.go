package apiextensions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// A host keeps the texts of schemas, which are the same whether it has read them from the store or from a client's
// definition.
func TestStoredDefinitionHasTheTextsOfItsSchemas(t *testing.T) {
	const text = `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","default":"x"}},"b":{"type":"number","enum":[1.5,2]}}}`
	stored := []byte(`{"metadata":{"name":"things.example.org"},"spec":{"group":"example.org","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[` +
		`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + text + `},"subresources":{"status":{}}},` +
		`{"name":"v2","schema":{}},{"name":"v3","schema":{"openAPIV3Schema":null}},{"name":"v4"}]}}`)
	read, err := apiextensions.ReadStored(stored)
	require.NoError(t, err)
	assert.Equal(t, "things.example.org", read.Name)
	assert.NotNil(t, read.Spec.Versions[0].Subresources.Status)
	assert.Nil(t, read.Spec.Versions[0].Schema.OpenAPIV3Schema)
	assert.Equal(t, text, string(read.Spec.Versions[0].Schema.Text()))
	for _, v := range read.Spec.Versions[1:] {
		assert.Nil(t, v.Schema.Text(), v.Name)
	}
	decoded := &apiextensions.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal(stored, decoded))
	assert.JSONEq(t, text, string(decoded.Spec.Versions[0].Schema.Text()))
	_, err = apiextensions.ReadStored([]byte(`{"spec":{"versions":[{"schema":[]}]}}`))
	assert.Error(t, err)
}
