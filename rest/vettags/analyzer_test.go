package vettags_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/vettags"
	"github.com/decorum-go/decorum/rest/vettags/internal/wrong"
)

// The analyzer reports exactly the faults that the library reports, with the same messages.
func TestAnalyzer(t *testing.T) {
	results := analysistest.Run(t, ".", vettags.Analyzer, "./internal/wrong")
	require.Len(t, results, 1)
	var found, refused []string
	for _, d := range results[0].Action.Diagnostics {
		found = append(found, d.Message)
	}
	for _, typ := range wrong.Types {
		_, err := schema.Derive(typ, schema.Options{})
		if err != nil {
			refused = append(refused, strings.Split(err.Error(), "\n")...)
		}
	}
	assert.Len(t, found, len(refused))
	for _, message := range found {
		assert.True(t, endsOneOf(refused, message), "the library does not report %q, but\n%s", message, strings.Join(refused, "\n"))
	}
}

func endsOneOf(all []string, end string) bool {
	for _, one := range all {
		if strings.HasSuffix(one, end) {
			return true
		}
	}
	return false
}

// A type parameter may be any type, and the built-in dialect does not require keys.
func TestBuiltinAndGenericTypes(t *testing.T) {
	require.NoError(t, vettags.Analyzer.Flags.Set("builtin", "true"))
	t.Cleanup(func() { require.NoError(t, vettags.Analyzer.Flags.Set("builtin", "false")) })
	analysistest.Run(t, ".", vettags.Analyzer, "./internal/loose")
}
