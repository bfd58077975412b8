package patch_test

import (
	"testing"

	"github.com/decorum-go/decorum/patch"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Package docpatch tests what patches do to documents. These tests are about JSON texts, errors and the zero values.

type ship struct {
	Masts int32    `json:"masts,omitempty"`
	Ports []string `json:"ports,omitempty" patchStrategy:"merge"`
}

func requireStatus(t *testing.T, err error, code int32, message string) {
	t.Helper()
	var e *status.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Status.Code)
	assert.Equal(t, message, e.Status.Message)
}

// applies are the zero patches of all kinds, which change nothing.
var applies = map[string]func(object []byte) ([]byte, error){
	"JSON patch":  patch.JSONPatch{}.Apply,
	"merge patch": patch.MergePatch{}.Apply,
	"strategic merge patch": func(object []byte) ([]byte, error) {
		t, err := patch.TypeFor[ship]()
		if err != nil {
			return nil, err
		}
		return patch.StrategicMergePatch{}.Apply(object, t)
	},
}

func TestResultsAreSortedAndExact(t *testing.T) {
	for name, apply := range applies {
		object := []byte(` {"b": 1.0, "a": [null, 12345678901234567890], "b": 2.5} `)
		before := string(object)
		got, err := apply(object)
		require.NoError(t, err, name)
		assert.Equal(t, `{"a":[null,12345678901234567890],"b":2.5}`, string(got),
			"%s: the last of two members with one name counts", name)
		assert.Equal(t, before, string(object), name)
	}
}

func TestObjectsThatAreNotJSON(t *testing.T) {
	for name, apply := range applies {
		got, err := apply([]byte(`{"a"`))
		requireStatus(t, err, 400, "unexpected end of JSON input")
		assert.Nil(t, got, name)
	}
}

func TestPatchesThatCannotBeRead(t *testing.T) {
	_, err := patch.ParseJSONPatch([]byte(`{}`))
	requireStatus(t, err, 400, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp")
	_, err = patch.ParseMergePatch([]byte(`[]`))
	requireStatus(t, err, 400, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}")
	_, err = patch.ParseStrategicMergePatch([]byte(`[]`))
	requireStatus(t, err, 400, "json: cannot unmarshal array into Go value of type map[string]interface {}")
}

func TestWarnings(t *testing.T) {
	p, err := patch.ParseJSONPatch([]byte(`[{"op":"test","path":"/a","extra":1}]`))
	require.NoError(t, err)
	assert.Equal(t, []string{`json patch unknown field "[0].extra"`}, p.Warnings())
	m, err := patch.ParseMergePatch([]byte(`{"a":1,"a":2}`))
	require.NoError(t, err)
	assert.Equal(t, []string{`duplicate field "a"`}, m.Warnings())
	s, err := patch.ParseStrategicMergePatch([]byte(`{"a":1,"a":2}`))
	require.NoError(t, err)
	assert.Equal(t, []string{`duplicate field "a"`}, s.Warnings())
}

func TestJSONPatchNamesTheOperationThatFailed(t *testing.T) {
	p, err := patch.ParseJSONPatch([]byte(`[{"op":"add","path":"/a","value":1},{"op":"test","path":"/a","value":2}]`))
	require.NoError(t, err)
	got, err := p.Apply([]byte(`{}`))
	assert.Nil(t, got)
	requireStatus(t, err, 422, "the server rejected our request due to an error in our request")
	var failed *patch.OperationError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, 1, failed.Index)
	assert.Equal(t, "test", failed.Op)
	assert.Equal(t, "/a", failed.Path)
	assert.ErrorIs(t, failed, patch.ErrTestFailed)
}

func TestStrategicMergePatchNeedsAType(t *testing.T) {
	p, err := patch.ParseStrategicMergePatch([]byte(`{"ports":["b"]}`))
	require.NoError(t, err)
	_, err = p.Apply([]byte(`{}`), patch.Type{})
	requireStatus(t, err, 400, "strategic merge patch format is not supported")

	ships, err := patch.TypeFor[ship]()
	require.NoError(t, err)
	got, err := p.Apply([]byte(`{"ports":["a"],"flag":"red"}`), ships)
	require.NoError(t, err)
	assert.Equal(t, `{"flag":"red","ports":["b","a"]}`, string(got))

	_, err = patch.TypeFor[struct {
		F func() `json:"f"`
	}]()
	assert.Error(t, err, "a type without JSON")
}
