package resource

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of steps into the docs")

// The docs show the steps of a write in their order.
func TestStepsAreInTheDocs(t *testing.T) {
	const page = "../../../docs/design-of-rest.md"
	var table strings.Builder
	table.WriteString("| step | create | update | delete | stored version | what it does |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, s := range steps {
		fmt.Fprintf(&table, "| %s |", s.name)
		for _, on := range []operations{onCreate, onUpdate, onDelete, inStored} {
			if s.on&on != 0 {
				table.WriteString(" x |")
			} else {
				table.WriteString(" |")
			}
		}
		fmt.Fprintf(&table, " %s |\n", s.about)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, _ := strings.Cut(table.String(), "\n")
	before, rest, found := strings.Cut(string(text), head+"\n")
	require.True(t, found, "%s has no table that begins with %s", page, head)
	shown, after, _ := strings.Cut(head+"\n"+rest, "\n\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+table.String()+"\n"+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), shown+"\n", "%s is out of date: go test -run %s ./rest/internal/resource -update", page, t.Name())
}
