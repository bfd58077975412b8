package offline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/validate"
)

// The page compares the program with others by manifests that have one fault each. It finds them all, and the page
// lists them all.
func TestFindsEveryFault(t *testing.T) {
	const dir = "testdata/broken"
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	page, err := os.ReadFile("../../../../docs/validate.md")
	require.NoError(t, err)
	stdout, stderr, code := run(t, nil, "", "-f", dir, "--crds", "testdata/broken-with/crds", "--policies",
		"testdata/broken-with/policies", "--output", "json")
	require.Empty(t, stderr)
	assert.Equal(t, 1, code)
	var report struct {
		Results []struct {
			File    string
			Verdict validate.Verdict
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Results, len(files))
	for _, r := range report.Results {
		name := strings.TrimSuffix(filepath.Base(r.File), ".yaml")
		want := validate.Invalid
		if name == "removed-version" {
			want = validate.Unknown
		}
		assert.Equal(t, want, r.Verdict, name)
		assert.Contains(t, string(page), "| `"+name+"` |")
	}
}

func TestManifestsWithoutFaults(t *testing.T) {
	stdout, _, code := run(t, nil, "", "-f", "testdata/shop.yaml")
	assert.Equal(t, "28 valid, 0 invalid, 0 unknown, 0 unreadable\n", stdout)
	assert.Zero(t, code)
}
