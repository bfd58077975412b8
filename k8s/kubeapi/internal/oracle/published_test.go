package oracle

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publishedFile is the table of published rules.
const publishedFile = "../../../published.txt"

// The table from which module k8s takes the required fields and the values of fields is what Kubernetes publishes.
func TestTheTableOfPublishedRulesIsComplete(t *testing.T) {
	var want strings.Builder
	definitions := kubernetesAPI(t).definitions(t)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		path, isType := strings.CutPrefix(name, "io.k8s.api.")
		if !isType {
			continue
		}
		var lines strings.Builder
		for _, field := range slices.Sorted(maps.Keys(definitions[name].Properties)) {
			if tags := definitions[name].published(field); tags != "" {
				lines.WriteString("\t" + field + " " + tags + "\n")
			}
		}
		if lines.Len() > 0 {
			dot := strings.LastIndexByte(path, '.')
			want.WriteString("k8s.io/api/" + strings.ReplaceAll(path[:dot], ".", "/") + path[dot:] + "\n" + lines.String())
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(publishedFile, []byte(want.String()), 0o644))
		return
	}
	got, err := os.ReadFile(publishedFile)
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(got), "write the table with go test . -run PublishedRules -update")
}

// Our program publishes the same required fields and values.
func TestPublishedRules(t *testing.T) {
	got := ourAPI(t).definitions(t)
	for name, want := range kubernetesAPI(t).definitions(t) {
		if d, ok := got[name]; ok && strings.HasPrefix(name, "io.k8s.api.") {
			for field := range d.Properties {
				assert.Equal(t, want.published(field), d.published(field), "%s.%s", name, field)
			}
		}
	}
}
