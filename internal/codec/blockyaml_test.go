package codec_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
)

var manifestSeeds = []string{
	"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {}\ndata:\n  a: |-\n    x\n\n      y\n  b: 'it''s'\n",
	"---\n# a comment\nspec:\n  versions:\n  - name: v1\n    served: true\n    list:\n    - a\n    - - b\n      - c\n    -\n      d: e\n",
	"a: one\n  two\n\n  three\nb: \"x \\\"y\\\"\n\n  z\"\nc: 'd\n  e'\nd:\ne: null\nf: ~\ng: yes\nh: True\n",
	"a: 1\nb: -2\nc: 1.50\nd: 0x1f\ne: 010\nf: 1e3\ng: 123456789012345678901\nh: .inf\ni: 1_000\nj: 2001-02-03\nk: 1:30\n",
	"a:\n  b: |\n    x\n    \n  c: |\n    y\n\n\nd: |-\n\n  z\n# end\n",
	"a: [b, c]\nb: {c: d}\nc: \"\"\nd: ''\n'e': f\n\"g\": h\ni: k # l\n",
	"a: b: c\n", "a: 'b\n", "- a\nb: c\n", "a: b\n c: d\n", "a: 1\na: 2\n", "a:\n- b\n- c\nd: e\n", "a: - b\n", "- - - a\n",
	"a: \"b\\\n  c\"\n", "a: |2\n   b\n", "a: >\n  b\n", "a: &b c\nd: *b\n", "a: !!str 1\n", "y: n\nno: on\n", "a: b\n...\n",
	"a: %b\n", "a: (b) c\n", "a: $b\n", "a: b #c\n", "a: b#c\n", "a:b\n", "a : b\n", "? a\n: b\n", "a: /b\n", "a: +1\n",
	"a: x\n  # y\n  z\n", "a: |\n  b\n c\n", "a: |\n\n   \n  b\n", "a: '\n  b'\n", "a: \"b\n  \"\n", "a: b:\n", "a: --- b\n",
	"a: -1\n  2\n", "a: 1\n  2\n", "a: true\n  b\n", "-\n- a\n-\n", "a:\n\n  b: c\n", "  a: b\n  c: d\n", "a: []\n", "a: [b]: c\n",
	"a: {b: 1, b: 2}\n", "a:\n- {b: {c: 1, \"c\": 2}}\n- [{d: 1, d: 2}]\n", "a: {b: 1, 'b': 2} # c\n",
	"a: {1: b, \"1\": c}\n",
}

// The reader of manifests must return what the parser returns, or leave the text to it. To get the answer of the
// parser, the test adds a comment with a tab, because the reader leaves every text with a tab to the parser.
func FuzzBlockYAML(f *testing.F) {
	for _, seed := range manifestSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		got, repeated, err := codec.DecodeYAML([]byte(text), true)
		want, duplicates, wrong := codec.DecodeYAML([]byte(text+"#\t\n"), true)
		if wrong != nil {
			assert.Error(t, err)
			return
		}
		require.NoError(t, err)
		assert.Equal(t, duplicates, repeated)
		assert.Equal(t, string(codec.AppendJSON(nil, want)), string(codec.AppendJSON(nil, got)))
	})
}

// BenchmarkDecodeYAML reads the definitions in the folder that DECORUM_CRDS names, by default shared/crds beside the
// checkout.
func BenchmarkDecodeYAML(b *testing.B) {
	folder := os.Getenv("DECORUM_CRDS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "crds")
	}
	var files []string
	require.NoError(b, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	}))
	for _, end := range []string{"", "#\t\n"} {
		b.Run("end="+strings.TrimSpace(end), func(b *testing.B) {
			var texts [][]byte
			size := 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(b, err)
				for _, part := range codec.Documents(text) {
					texts = append(texts, append(part[:len(part):len(part)], end...))
					size += len(part)
				}
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, text := range texts {
					_, _, err := codec.DecodeYAML(text, false)
					require.NoError(b, err)
				}
			}
		})
	}
}
