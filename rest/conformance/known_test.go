package conformance_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

const listed = `# Why this list is.
# And how.
pending:
  - reason: not yet
    cases:
      - area/fails
      - area/passes
different:
  - row: on purpose
    cases:
      - area/fails-too
`

// knownCases has a case for each combination of an outcome and the list.
func knownCases() conformance.Options {
	missing := func(name, tags string) string {
		return "- {name: " + name + ", doc: It is there., tags: " + tags +
			", steps: [{do: GET /api/v1/namespaces/x/configmaps/a}]}\n"
	}
	there := func(name string) string {
		return "- {name: " + name + ", doc: It is there., steps: [{do: GET /api}]}\n"
	}
	response := func(status string) string { return `[{"status":` + status + `,"headers":{}}]` }
	return conformance.Options{
		Cases: folder("area.yaml", "cases:\n"+missing("fails", "[]")+missing("fails-too",
			"[quirk]")+there("passes")+there("fine")+
			missing("new", "[]")+missing("new-quirk", "[quirk]")),
		Golden: folder("area.json", `{"cases":{"fails":`+response("200")+`,"fails-too":`+response("200")+`,"new":`+
			response("200")+`,"new-quirk":`+response("200")+
			`,"passes":[{"status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}]`+
			`,"fine":[{"status":200,"headers":{"Content-Type":"application/json"},"body":{"kind":"APIVersions","versions":["v1"]}}]}}`),
	}
}

// runListed runs knownCases with the list of known failures. It returns the options for further runs, too.
func runListed(t *testing.T) (conformance.Options, conformance.Report) {
	t.Helper()
	o, server := knownCases(), &fake{}
	o.Server = server.start(t)
	known, err := conformance.ParseKnown([]byte(listed))
	require.NoError(t, err)
	o.Known = known
	report, err := conformance.Run(t.Context(), o)
	require.NoError(t, err)
	return o, report
}

func TestKnownDecidesTheVerdict(t *testing.T) {
	_, report := runListed(t)

	verdicts, reasons := map[string]conformance.Verdict{}, map[string]string{}
	for _, r := range report.Results {
		verdicts[r.Case], reasons[r.Case] = r.Verdict, r.Known
	}
	assert.Equal(t, map[string]conformance.Verdict{
		"fails": conformance.KnownFailure, "fails-too": conformance.KnownFailure, "passes": conformance.Stale,
		"fine": conformance.Passed, "new": conformance.Failed, "new-quirk": conformance.Failed,
	}, verdicts)
	assert.Equal(t, map[string]string{"fails": "not yet", "fails-too": "on purpose", "passes": "not yet", "fine": "",
		"new": "", "new-quirk": ""}, reasons)
	assert.False(t, report.OK())
	assert.Equal(t, conformance.Counts{Area: "total", Cases: 6, Pass: 2, Fail: 4, Passed: 1, Failed: 3, Known: 2,
		Stale: 1}, report.Total())

	var table bytes.Buffer
	require.NoError(t, report.WriteTable(&table))
	assert.Equal(t, `
area                  cases   pass  message differs   fail  listed, fails listed, passes
area                      6      2                0      4              2              1
total                     6      2                0      4              2              1

2 cases fail as the list says, 1 listed cases pass (counted as failed)
1 passed, 3 failed
`, table.String())

	text := report.Results[0].Text(false) + report.Results[2].Text(false)
	assert.Equal(t, "STALE area/passes passes; take it off the list\n  listed: not yet\n", text)
	assert.Contains(t, report.Results[0].Text(true), "KNOWN area/fails: It is there.\n  listed: not yet\n  step 1")

	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	assert.Contains(t, string(encoded), `{"passed":1,"failed":3,`)
	assert.Contains(t, string(encoded),
		`"cases":[{"area":"area","case":"fails","doc":"It is there.","result":"fail","verdict":"known","known":"not yet","diffs":[{"step":1,`)
}

// The refreshed list is correct for the server once its reasons are filled in.
func TestRefreshed(t *testing.T) {
	o, report := runListed(t)

	text, err := report.Refreshed().Encode()
	require.NoError(t, err)
	assert.Equal(t, `# Why this list is.
# And how.
pending:
  - reason: not yet
    cases:
      - area/fails
  - reason: ""
    cases:
      - area/new
different:
  - row: on purpose
    cases:
      - area/fails-too
  - row: ""
    cases:
      - area/new-quirk
`, string(text))
	_, err = conformance.ParseKnown(text)
	require.ErrorContains(t, err, "has no reason")

	o.Known, err = conformance.ParseKnown([]byte(strings.ReplaceAll(string(text), `""`, "because")))
	require.NoError(t, err)
	report, err = conformance.Run(t.Context(), o)
	require.NoError(t, err)
	assert.True(t, report.OK())
	assert.Equal(t, o.Known, report.Refreshed(), "a list that is true stays as it is")

	o.Areas, o.Name = []string{"area"}, "fine"
	report, err = conformance.Run(t.Context(), o)
	require.NoError(t, err)
	assert.True(t, report.OK(), "a listed case that was not run is not stale")
	assert.Equal(t, o.Known, report.Refreshed(), "nor is it taken off")
}

func TestParseKnown(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"comments only", "# none\n", ""},
		{"no reason", "pending: [{cases: [a/b]}]", "has no reason, or names no row: it holds a/b"},
		{"blank row", "different: [{row: ' ', cases: [a/b]}]", "has no reason"},
		{"listed twice", "pending: [{reason: x, cases: [a/b]}]\ndifferent: [{row: y, cases: [a/b]}]", "a/b is listed twice"},
		{"unknown key", "pending: [{reason: x, case: [a/b]}]", "field case not found"},
		{"another form", "- a/b", "cannot unmarshal"},
		{"not YAML", "pending: [", "yaml:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k, err := conformance.ParseKnown([]byte(test.text))
			if test.want == "" {
				require.NoError(t, err)
				assert.Empty(t, k.Pending)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Encoding and parsing a list returns the same list.
func FuzzKnown(f *testing.F) {
	f.Add([]byte(listed))
	f.Add([]byte("pending: [{reason: 'a: b', cases: [x/y, \"x/\\n\"]}]"))
	f.Add([]byte("# c\n#\npending: []"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := conformance.ParseKnown(text)
		if err != nil {
			return
		}
		encoded, err := k.Encode()
		require.NoError(t, err)
		again, err := conformance.ParseKnown(encoded)
		require.NoError(t, err, "%s", encoded)
		second, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(second))
	})
}
