package conformance_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// A small suite with one case in each of three levels.
const (
	leveledCases = `
level: read
cases:
- {name: versions, doc: The core group has one version., rules: [documents], steps: [{do: GET /api}]}
- {name: groups, doc: There are groups., rules: [codes], level: write, steps: [{do: GET /apis}]}
- {name: streams, doc: There are streams., level: watch, steps: [{do: GET /streams}]}
`
	leveledGolden = `{"cases":{
"versions":[{"req":"GET /api","status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}],
"groups":[{"req":"GET /apis","status":404,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}],
"streams":[{"req":"GET /streams","status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}]
}}`
)

func leveled(t *testing.T, change func(*conformance.Options)) conformance.Report {
	t.Helper()
	o := conformance.Options{
		Server: (&fake{}).start(t), Cases: folder("base.yaml", leveledCases), Golden: folder("base.json", leveledGolden),
	}
	change(&o)
	report, err := conformance.Run(t.Context(), o)
	require.NoError(t, err)
	return report
}

func TestTextReport(t *testing.T) {
	report := leveled(t, func(*conformance.Options) {})
	var text strings.Builder
	for _, r := range report.Results {
		text.WriteString(r.Text(false))
	}
	require.NoError(t, report.WriteTable(&text))
	assert.Equal(t, `FAIL base/groups: There are groups.
  step 1 GET /apis
    status
      want: 404
      got:  200

area                  cases   pass  message differs   fail
base                      3      2                0      1
total                     3      2                0      1

rule codes                  1 of 1 cases failed
level read         1 of 1 cases passed
level write        0 of 1 cases passed
level watch        1 of 1 cases passed
the server can claim the level read

2 passed, 1 failed
`, text.String())
}

func TestJSONReport(t *testing.T) {
	got, err := json.Marshal(leveled(t, func(o *conformance.Options) { o.Level = conformance.LevelWrite }))
	require.NoError(t, err)
	timeless := regexp.MustCompile(`"millis":\d+`).ReplaceAllString(string(got), `"millis":0`)
	assert.JSONEq(t, `{
		"passed": 1, "failed": 1, "skipped": 0, "claim": "read",
		"levels": [
			{"level": "read", "available": 1, "cases": 1, "passed": 1, "known": 0, "failed": 0},
			{"level": "write", "available": 1, "cases": 1, "passed": 0, "known": 0, "failed": 1},
			{"level": "watch", "available": 1, "cases": 0, "passed": 0, "known": 0, "failed": 0},
			{"level": "apply", "available": 0, "cases": 0, "passed": 0, "known": 0, "failed": 0},
			{"level": "definitions", "available": 0, "cases": 0, "passed": 0, "known": 0, "failed": 0}
		],
		"rules": [
			{"rule": "codes", "cases": 1, "passed": 0, "known": 0, "failed": 1},
			{"rule": "documents", "cases": 1, "passed": 1, "known": 0, "failed": 0}
		],
		"cases": [
			{"area": "base", "case": "versions", "doc": "The core group has one version.", "rules": ["documents"], "level": "read", "result": "pass", "verdict": "passed", "millis": 0},
			{"area": "base", "case": "groups", "doc": "There are groups.", "rules": ["codes"], "level": "write", "result": "fail", "verdict": "failed", "millis": 0,
			 "diffs": [{"step": 1, "request": "GET /apis", "path": "status", "want": "404", "got": "200"}]}
		]
	}`, timeless)
}

func TestClaim(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*conformance.Options)
		want   conformance.Level
	}{
		{"the first failure ends it", func(*conformance.Options) {}, conformance.LevelRead},
		{"a listed failure does not", func(o *conformance.Options) {
			o.Known.Pending = []conformance.Pending{{Reason: "later", Cases: []string{"base/groups"}}}
		}, conformance.LevelWatch},
		{"a case that did not run ends it", func(o *conformance.Options) { o.Name = "streams" }, ""},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, leveled(t, test.change).Claim()) })
	}
}

// A case below the level watch watches nothing. The answers that a case of the level read compares are those to
// reading, and to writing where nothing is served.
func TestCasesFitTheirLevel(t *testing.T) {
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	counts := map[conformance.Level]int{}
	for _, a := range areas {
		for _, c := range a.Cases {
			assert.Contains(t, conformance.Levels(), c.Level, "%s/%s", a.Name, c.Name)
			counts[c.Level]++
			reads := []string{http.MethodGet, http.MethodHead}
			if id := a.Name + "/" + c.Name; id == "errors/unknown-path" || id == "errors/unknown-resource" {
				reads = append(reads, http.MethodPost)
			}
			if c.Level == conformance.LevelRead {
				assert.Subset(t, reads, c.Methods(), "%s/%s", a.Name, c.Name)
			}
			if c.Level == conformance.LevelRead || c.Level == conformance.LevelWrite {
				assert.False(t, c.Watches(), "%s/%s", a.Name, c.Name)
			}
		}
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, level := range conformance.Levels() {
		assert.NotZero(t, counts[level], level)
		assert.Contains(t, string(readme), fmt.Sprintf("\n| `%s` | %d | ", level, counts[level]))
	}
}

func TestUnknownLevelInACaseFile(t *testing.T) {
	_, err := conformance.Load(folder("a.yaml", "cases:\n- {name: a, doc: b, level: raed, steps: [{do: GET /api}]}\n"))
	assert.ErrorContains(t, err, `unknown level "raed"`)
}
