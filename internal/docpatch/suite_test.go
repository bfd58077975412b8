package docpatch_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// suiteCase is one case of the files in testdata. It keeps the JSON texts as they are
// written there.
type suiteCase struct {
	Name  string
	Doc   json.RawMessage
	Patch json.RawMessage
	Want  json.RawMessage
	Error string
}

func suite(t testing.TB, file string) map[string][]suiteCase {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var groups []struct {
		Category string
		Cases    []suiteCase
	}
	require.NoError(t, json.Unmarshal(data, &groups))
	byCategory := map[string][]suiteCase{}
	for _, g := range groups {
		byCategory[g.Category] = g.Cases
	}
	return byCategory
}

var causes = map[string]error{
	"test":      docpatch.ErrTestFailed,
	"missing":   docpatch.ErrMissing,
	"index":     docpatch.ErrIndex,
	"malformed": docpatch.ErrMalformed,
}

// runSuite runs a test for each case of a file, and checks that no patch changes its document in place.
func runSuite(t *testing.T, file string, test func(t *testing.T, c suiteCase, d doc.Value)) {
	for category, cases := range suite(t, file) {
		for _, c := range cases {
			t.Run(category+"/"+c.Name, func(t *testing.T) {
				d := parse(t, c.Doc)
				before := text(d)
				test(t, c, d)
				assert.Equal(t, before, text(d), "the document was changed in place")
			})
		}
	}
}

func TestJSONPatchSuite(t *testing.T) {
	runSuite(t, "testdata/jsonpatch.json", func(t *testing.T, c suiteCase, d doc.Value) {
		p, err := docpatch.ParseJSONPatch(c.Patch)
		require.NoError(t, err)
		got, err := p.Apply(d)
		if c.Error != "" {
			requireRefused(t, err, causes[c.Error])
			assert.True(t, got.IsAbsent())
			return
		}
		require.NoError(t, err)
		assert.Equal(t, text(parse(t, c.Want)), text(got))
		assert.Equal(t, text(got), text(parse(t, p.Text(c.Doc))))
	})
}

func TestMergePatchSuite(t *testing.T) {
	runSuite(t, "testdata/mergepatch.json", func(t *testing.T, c suiteCase, d doc.Value) {
		p, err := docpatch.ParseMergePatch(c.Patch)
		require.NoError(t, err)
		got := p.Apply(d)
		assert.Equal(t, text(parse(t, c.Want)), text(got))
		assert.Equal(t, text(got), text(parse(t, p.Text(c.Doc))))
		assert.Equal(t, text(got), text(p.Apply(got)), "twice is once")
	})
}

func parse(t testing.TB, data []byte) doc.Value {
	d, _, err := codec.DecodeJSON(data)
	require.NoError(t, err)
	return d
}

func text(d doc.Value) string { return string(codec.AppendJSON(nil, d)) }
