package docpatch_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireRefused checks the answer to a patch that could not be applied, and its cause.
func requireRefused(t *testing.T, err, cause error) {
	t.Helper()
	requireStatus(t, err, 422, status.ReasonInvalid, "the server rejected our request due to an error in our request")
	require.ErrorIs(t, err, cause)
}

func requireStatus(t *testing.T, err error, code int, reason status.Reason, message string) {
	t.Helper()
	var e *status.Error
	require.ErrorAs(t, err, &e)
	assert.EqualValues(t, code, e.Status.Code)
	assert.Equal(t, reason, e.Status.Reason)
	assert.Equal(t, message, e.Status.Message)
}

func TestParseJSONPatchErrors(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"a map", `{"op":"add"}`, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{"a string", `"x"`, "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"},
		{"a boolean", `true`, "error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"},
		{"a number as an operation", `[{},5]`,
			"error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
		{"a list as an operation", `[[]]`,
			"error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"},
		{"a number as op", `[{"op":5}]`,
			"error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"},
		{"a map as path", `[{"path":{}}]`,
			"error decoding patch: json: cannot unmarshal object into Go struct field jsonPatchOp.path of type string"},
		{"a boolean as from", `[{"from":true}]`,
			"error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.from of type string"},
		{"no JSON", `not json`, "invalid JSON patch"},
		{"nothing", ``, "invalid JSON patch"},
		{"cut off", `[{"op":`, "invalid JSON patch"},
		{"too deep", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), "invalid JSON patch"},
		{"not UTF-8", "[{\"op\":\"\xff\"}]", "invalid JSON patch: invalid UTF-8 within a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := docpatch.ParseJSONPatch([]byte(c.patch))
			requireStatus(t, err, 400, status.ReasonBadRequest, c.want)
		})
	}
}

func TestJSONPatchOperationLimit(t *testing.T) {
	operations := func(n int) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/a","value":1},`, n), ",") + "]")
	}
	p, err := docpatch.ParseJSONPatch(operations(10_000))
	require.NoError(t, err)
	_, err = p.Apply(parse(t, []byte(`{"a":1}`)))
	require.NoError(t, err)

	_, err = docpatch.ParseJSONPatch(operations(10_001))
	requireStatus(t, err, 413, status.ReasonRequestEntityTooLarge,
		"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001")
}

func TestJSONPatchWarnings(t *testing.T) {
	p, err := docpatch.ParseJSONPatch([]byte(
		`[{"op":"add","path":"/a","value":{"x":1,"x":2},"foo":1,"op":"add"},{"op":"remove","path":"/a","bar":{"y":1,"y":1}}]`))
	require.NoError(t, err)
	assert.Equal(t, []string{
		`json patch duplicate field "[0].value.x"`,
		`json patch duplicate field "[0].op"`,
		`json patch duplicate field "[1].bar.y"`,
		`json patch unknown field "[0].foo"`,
		`json patch unknown field "[1].bar"`,
	}, p.Warnings())

	p, err = docpatch.ParseJSONPatch([]byte("[" + strings.Repeat(`{"x":1},`, 200) + "{}]"))
	require.NoError(t, err)
	assert.Len(t, p.Warnings(), 100)

	p, err = docpatch.ParseJSONPatch([]byte(`[{"op":"add","path":"/a","value":1,"from":"/b"}]`))
	require.NoError(t, err)
	assert.Empty(t, p.Warnings())
}

func TestOperationError(t *testing.T) {
	p, err := docpatch.ParseJSONPatch([]byte(`[{"op":"test","path":"/a","value":1},{"op":"remove","path":"/b/0"}]`))
	require.NoError(t, err)
	_, err = p.Apply(parse(t, []byte(`{"a":1,"b":[]}`)))
	requireRefused(t, err, docpatch.ErrIndex)
	var at *docpatch.OperationError
	require.ErrorAs(t, err, &at)
	assert.Equal(t, 1, at.Index)
	assert.Equal(t, "remove", at.Op)
	assert.Equal(t, "/b/0", at.Path)
	assert.EqualError(t, at, `operation 1, remove "/b/0": the list has no such index`)
}

// The copies of one patch may add 3 MiB of JSON, and not a byte more.
func TestCopyLimit(t *testing.T) {
	const limit = 3 << 20
	copies := func(n int) docpatch.JSONPatch {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"op":"copy","from":"/a","path":"/c%d"}`, i)
		}
		p, err := docpatch.ParseJSONPatch([]byte("[" + b.String()[1:] + "]"))
		require.NoError(t, err)
		return p
	}
	exact := parse(t, []byte(`{"a":"`+strings.Repeat("x", limit/8-2)+`"}`))
	_, err := copies(8).Apply(exact)
	require.NoError(t, err)
	_, err = copies(9).Apply(exact)
	requireRefused(t, err, docpatch.ErrTooLarge)
	over := parse(t, []byte(`{"a":"`+strings.Repeat("x", limit/8-1)+`"}`))
	_, err = copies(8).Apply(over)
	requireRefused(t, err, docpatch.ErrTooLarge)
}

// Each copy doubles the list, so a hundred of them would exhaust the memory.
func TestCopyDoubling(t *testing.T) {
	body := "[" + strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"/a","path":"/a/-"},`, 100), ",") + "]"
	p, err := docpatch.ParseJSONPatch([]byte(body))
	require.NoError(t, err)
	_, err = p.Apply(parse(t, []byte(`{"a":["x"]}`)))
	requireRefused(t, err, docpatch.ErrTooLarge)
	var at *docpatch.OperationError
	require.ErrorAs(t, err, &at)
	assert.Less(t, at.Index, 25)
}

// No operation can make a document deeper than the parser accepts.
func TestDepthLimit(t *testing.T) {
	nest := func(depth int, inner string) string {
		return strings.Repeat(`{"a":`, depth) + inner + strings.Repeat("}", depth)
	}
	path := strings.Repeat("/a", 9_000)
	for _, c := range []struct{ name, doc, patch string }{
		{"add", nest(9_000, "{}"), `[{"op":"add","path":"` + path + `/a","value":` + nest(1_000, "1") + `}]`},
		{"copy", `{"x":` + nest(9_000, "{}") + `,"y":` + nest(1_000, "1") + `}`,
			`[{"op":"copy","from":"/y","path":"/x` + path + `/a"}]`},
		{"move", `{"x":` + nest(9_000, "{}") + `,"y":` + nest(1_000, "1") + `}`,
			`[{"op":"move","from":"/y","path":"/x` + path + `/a"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := docpatch.ParseJSONPatch([]byte(c.patch))
			require.NoError(t, err)
			_, err = p.Apply(parse(t, []byte(c.doc)))
			requireRefused(t, err, docpatch.ErrTooLarge)

			fits, err := docpatch.ParseJSONPatch([]byte(strings.Replace(c.patch, strings.Repeat("/a", 1_000), "", 1)))
			require.NoError(t, err)
			got, err := fits.Apply(parse(t, []byte(c.doc)))
			require.NoError(t, err)
			parse(t, []byte(text(got)))
		})
	}
	t.Run("a path longer than any document is deep", func(t *testing.T) {
		p, err := docpatch.ParseJSONPatch([]byte(`[{"op":"add","path":"` + strings.Repeat("/a", 20_000) + `","value":1}]`))
		require.NoError(t, err)
		_, err = p.Apply(parse(t, []byte(`{}`)))
		requireRefused(t, err, docpatch.ErrMissing)
	})
	t.Run("moving into each other", func(t *testing.T) {
		// x and y move into each other's deepest place in turn; each move adds a few levels.
		var b strings.Builder
		for i := range 3_000 {
			fmt.Fprintf(&b,
				`,{"op":"add","path":"/n","value":{"a":{"b":{"c":{}}}}},{"op":"move","from":"/x","path":"/n/a/b/c/%d"},{"op":"move","from":"/n","path":"/x"}`, i)
		}
		p, err := docpatch.ParseJSONPatch([]byte("[" + b.String()[1:] + "]"))
		require.NoError(t, err)
		_, err = p.Apply(parse(t, []byte(`{"x":{}}`)))
		require.Error(t, err)
		assert.True(t, errors.Is(err, docpatch.ErrTooLarge))
	})
}

// One parsed patch serves any number of goroutines.
func TestJSONPatchConcurrently(t *testing.T) {
	p, err := docpatch.ParseJSONPatch([]byte(`[{"op":"add","path":"/a/-","value":{}},{"op":"add","path":"/a/-1/b","value":1},{"op":"copy","from":"/a","path":"/b"}]`))
	require.NoError(t, err)
	d := parse(t, []byte(`{"a":[{"x":1}]}`))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				got, err := p.Apply(d)
				assert.NoError(t, err)
				assert.Equal(t, `{"a":[{"x":1},{"b":1}],"b":[{"x":1},{"b":1}]}`, text(got))
			}
		})
	}
	group.Wait()
}
