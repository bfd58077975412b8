package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cases = `
cases:
- {name: good, doc: It answers as recorded., steps: [{do: GET /api}]}
- {name: bad, doc: It should answer otherwise., steps: [{do: GET /apis}]}
`

const golden = `{"area":"a","cases":{
"bad":[
 {"req":"GET /apis","status":404,"headers":{"Content-Type":"application/json"},"body":{}}
],
"good":[
 {"req":"GET /api","status":200,"headers":{"Content-Type":"application/json"},"body":{}}
]
}}
`

// conform runs the program in a folder with case files and golden transcripts, against
// a server that answers everything with an empty object.
func conform(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	for i := range args {
		args[i] = os.Expand(args[i], func(name string) string { return map[string]string{"URL": server.URL}[name] })
	}
	var out, errs bytes.Buffer
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func TestConform(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "cases/a.yaml", cases)
	write(t, "golden/a.json", golden)
	write(t, "known.yaml", "pending: [{reason: later, cases: [a/bad]}]\n")
	write(t, "stale.yaml", "pending: [{reason: later, cases: [a/bad, a/good]}]\n")
	write(t, "unclear.yaml", "pending: [{cases: [a/bad]}]\n")
	check := []string{"check", "--server", "$URL", "--cases", "cases", "--golden", "golden"}
	tests := []struct {
		name   string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{"nothing", nil, 2, "", "usage:"},
		{"unknown command", []string{"chekc"}, 2, "", "usage:"},
		{"unknown flag", []string{"check", "--sever"}, 2, "", "flag provided but not defined"},
		{"argument", []string{"check", "URL"}, 2, "", "unexpected argument URL"},
		{"help", []string{"check", "-h"}, 0, "", "base URL of the server"},
		{"no server", []string{"check"}, 3, "", "is not a URL"},
		{"a failure", check, 1, "FAIL a/bad: It should answer otherwise.\n  step 1 GET /apis\n    status\n", ""},
		{"the closing line", check, 1, "\n1 passed, 1 failed\n", ""},
		{"check is the default", check[1:], 1, "\n1 passed, 1 failed\n", ""},
		{"unknown level", append(check, "--level", "wirte"), 2, "", "the levels are read, write, watch, apply, definitions"},
		{"help of all commands", []string{"--help"}, 2, "", "usage:"},
		{"all passed", append(check, "--case", "good"), 0, "\n1 passed, 0 failed\n", ""},
		{"verbose", append(check, "-v", "--jobs", "2"), 1, "ok   a/good\n", ""},
		{"a known failure", append(check, "--known", "known.yaml"), 0, "\n1 passed, 0 failed\n", ""},
		{"a stale entry", append(check, "--known", "stale.yaml"), 1,
			"STALE a/good passes; take it off the list\n  listed: later\n", ""},
		{"a list without reasons", append(check, "--known", "unclear.yaml"), 3, "", "unclear.yaml: a group has no reason"},
		{"no list", append(check, "--known", "none.yaml"), 3, "", "none.yaml"},
		{"list of failing cases", append(check, "--list-failing"), 0, "pending:\n  - reason: \"\"\n    cases:\n      - a/bad\n",
			"1 passed, 1 failed"},
		{"refresh a list", append(check, "--known", "stale.yaml", "--list-failing"), 0,
			"pending:\n  - reason: later\n    cases:\n      - a/bad\n", "STALE a/good"},
		{"results as JSON", append(check, "--json", "out.json"), 1, "1 passed, 1 failed", ""},
		{"list", []string{"list", "--cases", "cases"}, 0, "a                     2 cases     2 steps\n", ""},
		{"list the rules", []string{"list", "--cases", "cases", "-v"}, 0, "a/good: It answers as recorded.\n", ""},
		{"list the suite's own", []string{"list"}, 0, "total", ""},
		{"diff of one", []string{"diff", "golden"}, 2, "", "usage:"},
		{"diff of equals", []string{"diff", "golden", "golden"}, 0, "identical\n", ""},
		{"record nowhere", []string{"record", "--server", "$URL"}, 3, "", "--out is required"},
		{"record", []string{"record", "--server", "$URL", "--cases", "cases", "--fixtures", "cases", "--out", "recorded"}, 0,
			"recorded 2 cases, 2 responses, 0 errors\n", ""},
		{"diff of the recording", []string{"diff", "golden", "recorded"}, 1, "a/bad step 1 GET /apis\n    status\n",
			"conform: 1 differences"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, stdout, stderr := conform(t, append([]string(nil), test.args...)...)
			assert.Equal(t, test.status, status, stderr)
			assert.Contains(t, stdout, test.stdout)
			assert.Contains(t, stderr, test.stderr)
		})
	}

	results, err := os.ReadFile("out.json")
	require.NoError(t, err)
	assert.Contains(t, string(results), `"result": "fail"`)
	recorded, err := os.ReadFile("recorded/a.json")
	require.NoError(t, err)
	assert.Equal(t, `{"area":"a","cases":{
"bad":[
 {"req":"GET /apis","status":200,"headers":{"Content-Type":"application/json"},"body":{}}
],
"good":[
 {"req":"GET /api","status":200,"headers":{"Content-Type":"application/json"},"body":{}}
]
}}
`, string(recorded), "one response per line")
}

// The page of the documentation shows what the program prints about the host that CONFORM_URL names.
func TestPage(t *testing.T) {
	url := os.Getenv("CONFORM_URL")
	if url == "" {
		t.Skip("CONFORM_URL names no server")
	}
	t.Chdir("../..")
	page, err := os.ReadFile("../../docs/conformance.md")
	require.NoError(t, err)
	outputs := regexp.MustCompile("(?s)<!-- output of: (.*?) -->\n```text\n(.*?)```\n").FindAllSubmatch(page, -1)
	require.NotEmpty(t, outputs)
	for _, output := range outputs {
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"--server", url}, strings.Fields(string(output[1]))...), &stdout, &stderr)
		assert.Equal(t, string(output[2]), stdout.String(), stderr.String())
	}
}
