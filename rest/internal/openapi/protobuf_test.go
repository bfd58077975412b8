package openapi_test

import (
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/openapi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both forms of the Swagger document say the same of a schema. That the whole message is the one that gnostic makes is
// tested in internal/test/e2e, where its code may be linked.
func TestV2Protobuf(t *testing.T) {
	data, err := openapi.V2Protobuf(kinds(t))
	require.NoError(t, err)
	property := codec.NewMessage(
		codec.MessageField{Number: 1, Name: "$ref"},
		codec.MessageField{Number: 2, Name: "format"},
		codec.MessageField{Number: 4, Name: "description"},
		codec.MessageField{Number: 11, Name: "maxLength", Type: codec.IntType},
		codec.MessageField{Number: 13, Name: "pattern"},
		codec.MessageField{Number: 22, Name: "type", Type: codec.MessageType,
			Of: codec.NewMessage(codec.MessageField{Number: 1, Name: "value"})})
	properties := codec.NewMessage(codec.MessageField{Number: 1, Name: "named", Type: codec.MapType, Of: property})
	schema := codec.NewMessage(
		codec.MessageField{Number: 19, Name: "required", Repeated: true},
		codec.MessageField{Number: 25, Name: "properties", Type: codec.MessageType, Of: properties})
	definitions := codec.NewMessage(codec.MessageField{Number: 1, Name: "named", Type: codec.MapType, Of: schema})
	got, err := codec.NewMessage(
		codec.MessageField{Number: 1, Name: "swagger"},
		codec.MessageField{Number: 9, Name: "definitions", Type: codec.MessageType, Of: definitions}).Decode(data)
	require.NoError(t, err)

	want := documents(t)["v2"]["definitions"].(tree)
	assert.Equal(t, "2.0", got.Get("swagger").Text())
	assert.Equal(t, len(want), got.Lookup("definitions", "named").Len())
	for name, wanted := range want {
		have := got.Lookup("definitions", "named", name)
		var required []any
		for _, r := range have.Get("required").Elements() {
			required = append(required, r.Text())
		}
		assert.ElementsMatch(t, wanted.(tree)["required"], required, name)
		members, _ := wanted.(tree)["properties"].(tree)
		assert.Equal(t, len(members), have.Lookup("properties", "named").Len(), name)
		for member, wanted := range members {
			have, wanted := have.Lookup("properties", "named", member), wanted.(tree)
			for _, key := range []string{"$ref", "format", "description", "pattern"} {
				text, _ := wanted[key].(string)
				assert.Equal(t, text, have.Get(key).Text(), "%s.%s: %s", name, member, key)
			}
			typ, _ := wanted["type"].(string)
			assert.Equal(t, typ, have.Lookup("type", "value").Text(), "%s.%s: type", name, member)
			most, _ := wanted["maxLength"].(float64)
			n, _ := have.Get("maxLength").Int()
			assert.EqualValues(t, most, n, "%s.%s: maxLength", name, member)
		}
	}
}
