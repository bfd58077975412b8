package upstream_test

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/upstream"
)

var update = flag.Bool("update", false, "write the table of dialects into docs/protocol.md")

const (
	page        = "../../../docs/protocol.md"
	begin, end  = "<!-- dialects: go test ./rest/internal/upstream -update -->\n", "<!-- end of dialects -->\n"
	columnHeads = "| | `Custom` (default) | `Builtin` |\n| --- | --- | --- |\n"
)

// The documentation lists each switch on which the dialects differ.
func TestTheDocumentationListsTheDialects(t *testing.T) {
	var table strings.Builder
	table.WriteString(columnHeads)
	custom, builtin := reflect.ValueOf(upstream.Custom), reflect.ValueOf(upstream.Builtin)
	for i := range custom.NumField() {
		f := custom.Type().Field(i)
		about, say := f.Tag.Get("about"), map[bool]string{true: f.Tag.Get("yes"), false: f.Tag.Get("no")}
		require.NotEmpty(t, about, f.Name)
		require.NotEmpty(t, say[true], f.Name)
		require.NotEmpty(t, say[false], f.Name)
		if custom.Field(i).Bool() != builtin.Field(i).Bool() {
			table.WriteString("| " + about + " | " + say[custom.Field(i).Bool()] + " | " + say[builtin.Field(i).Bool()] + " |\n")
		}
	}
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), begin)
	require.True(t, found, "docs/protocol.md has no place for the table")
	written, after, found := strings.Cut(rest, end)
	require.True(t, found, "docs/protocol.md does not say where the table ends")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), written, "run go test ./rest/internal/upstream -update")
}
