package docpatch_test

import (
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseMergePatchErrors(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"a list", `[]`, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"a string", `"x"`, "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"},
		{"a number", `5`, "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"},
		{"a boolean", `true`, "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}"},
		{"null", `null`, "Invalid JSON Patch"},
		{"cut off", `{"data": `, "invalid JSON patch"},
		{"nothing", ``, "invalid JSON patch"},
		{"too deep", strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001), "invalid JSON patch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := docpatch.ParseMergePatch([]byte(c.patch))
			requireStatus(t, err, 400, status.ReasonBadRequest, c.want)
		})
	}
}

func TestMergePatchWarnings(t *testing.T) {
	p, err := docpatch.ParseMergePatch([]byte(`{"data":{"a":"1","a":"2"},"list":[{"b":1,"b":2}]}`))
	require.NoError(t, err)
	assert.Equal(t, []string{`duplicate field "data.a"`, `duplicate field "list[0].b"`}, p.Warnings())
}

func TestZeroPatchesChangeNothing(t *testing.T) {
	d := parse(t, []byte(`{"a":1}`))
	assert.True(t, d == docpatch.MergePatch{}.Apply(d))
	got, err := docpatch.JSONPatch{}.Apply(d)
	require.NoError(t, err)
	assert.True(t, d == got)
}

// Apply returns unchanged parts as they are, so a caller sees cheaply that nothing changed.
func TestMergePatchSharesWhatDoesNotChange(t *testing.T) {
	d := parse(t, []byte(`{"data":{"k":"v"},"spec":{"list":[1,2,3]}}`))
	for _, body := range []string{`{}`, `{"data":{"k":"v"}}`, `{"data":{"x":null}}`, `{"spec":{},"none":null}`} {
		p, err := docpatch.ParseMergePatch([]byte(body))
		require.NoError(t, err)
		assert.True(t, d == p.Apply(d), "%s", body)
	}
	p, err := docpatch.ParseMergePatch([]byte(`{"data":{"k":"w"}}`))
	require.NoError(t, err)
	got := p.Apply(d)
	assert.False(t, d == got)
	assert.True(t, d.Get("spec") == got.Get("spec"))
}

func TestMergePatchDepth(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	p, err := docpatch.ParseMergePatch([]byte(deep))
	require.NoError(t, err)
	assert.Equal(t, deep, text(p.Apply(parse(t, []byte(`{}`)))))
	assert.Equal(t, deep, text(p.Apply(parse(t, []byte(deep)))))
}
