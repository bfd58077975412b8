package conformance_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// TestServer runs the suite against CONFORM_URL, with the known failures of the
// file CONFORM_KNOWN (expected.yaml by default, none if the variable is empty).
func TestServer(t *testing.T) {
	url := os.Getenv("CONFORM_URL")
	if url == "" {
		// Without this variable, a plain go test has nothing to test: the stage conformance starts a server and sets it.
		t.Skip("set CONFORM_URL to the URL of a server: the suite tests a running server (make conformance starts one)")
	}
	list, set := os.LookupEnv("CONFORM_KNOWN")
	if !set {
		list = "expected.yaml"
	}
	var known conformance.Known
	if list != "" {
		known = readKnown(t, list)
	}
	report, err := conformance.Run(t.Context(), conformance.Options{Server: url, Known: known, Jobs: 4})
	require.NoError(t, err)
	for _, r := range report.Results {
		t.Run(r.ID(), func(t *testing.T) {
			if !r.Verdict.OK() {
				t.Error(r.Text(false))
			}
		})
	}
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log(table.String())
}

func readKnown(t *testing.T, file string) conformance.Known {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	known, err := conformance.ParseKnown(text)
	require.NoError(t, err, file)
	return known
}

// readSection returns the text below a heading of the second level, up to the next one.
func readSection(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, found, "%s has no heading %q", page, heading)
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// Each case has a golden transcript, and each golden transcript has a case.
func TestEveryCaseIsRecorded(t *testing.T) {
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	files, err := fs.Glob(conformance.Golden(), "*.json")
	require.NoError(t, err)
	require.Len(t, files, len(areas))
	for _, a := range areas {
		text, err := fs.ReadFile(conformance.Golden(), a.Name+".json")
		require.NoError(t, err)
		var golden struct {
			Area  string
			Cases map[string][]json.RawMessage
		}
		require.NoError(t, json.Unmarshal(text, &golden))
		assert.Equal(t, a.Name, golden.Area)
		var names []string
		for _, c := range a.Cases {
			names = append(names, c.Name)
			assert.NotEmpty(t, golden.Cases[c.Name], "%s/%s", a.Name, c.Name)
		}
		for name := range golden.Cases {
			assert.Contains(t, names, name, "%s: a transcript of no case", a.Name)
		}
	}
}

func TestTagsAreDocumented(t *testing.T) {
	section := readSection(t, "README.md", "Tags")
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	used := map[string]bool{}
	for _, a := range areas {
		for _, c := range a.Cases {
			for _, tag := range c.Tags {
				used[tag] = true
				assert.Contains(t, section, "| `"+tag+"` |", "%s/%s", a.Name, c.Name)
			}
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		assert.True(t, used[row[1]], "no case has the tag %s", row[1])
	}
}

// A case with a deliberate difference records an accident of the recorded
// server, and the project's documentation says what our server answers and why.
func TestDifferencesAreDocumented(t *testing.T) {
	section := readSection(t, "../../docs/differences.md", "What differs on purpose")
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	tags := map[string][]string{}
	for _, a := range areas {
		for _, c := range a.Cases {
			tags[a.Name+"/"+c.Name] = c.Tags
		}
	}
	known := readKnown(t, "expected.yaml")
	for _, d := range known.Different {
		assert.Contains(t, section, "\n| <a id=\""+d.Row+"\"></a>", "docs/differences.md has no row with this anchor")
		for _, id := range d.Cases {
			if !strings.HasPrefix(id, "crd") { // the transcripts about definitions and their kinds have no tags
				assert.Contains(t, tags[id], "quirk", "%s records no accident", id)
			}
		}
	}
	for _, p := range known.Pending {
		for _, id := range p.Cases {
			assert.Contains(t, tags, id, "no such case")
		}
	}
}
