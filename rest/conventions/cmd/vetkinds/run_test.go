package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const gates = `# two definitions, and an object of another kind
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.garden.example.com}
spec:
  group: garden.example.com
  scope: Namespaced
  names: {kind: Gate, plural: gates}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              widthMillimeters:
                type: integer
                minimum: 1
                maximum: 9000
              closeDelay:
                type: string
                minLength: 1
                maxLength: 9
              motto:
                type: string
`

const (
	ofDelay = "gates.yaml:28: must: Gate spec.closeDelay: a duration is an integer with its unit in the name, like " +
		"fooSeconds: this is a string (duration; docs/designing-kinds.md#times-durations-and-units)\n"
	ofMotto = "gates.yaml:32: should: Gate spec.motto: a string has a maximum length: set maxLength (string-bounds; " +
		"docs/designing-kinds.md#lists-maps-and-bounds)\n"
)

// command runs the command in a folder with these files.
func command(t *testing.T, files map[string]string, stdin string, arguments ...string) (code int, out, errs string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	var stdout, stderr strings.Builder
	code = run(arguments, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestRun(t *testing.T) {
	clean, _, found := strings.Cut(gates, "              closeDelay:\n")
	require.True(t, found)
	const accepted = "- {kind: Gate, field: spec.motto, rule: string-bounds, reason: poems have no length}\n"
	tests := []struct {
		name      string
		files     map[string]string
		stdin     string
		arguments []string
		code      int
		out       string
		errs      string // a part
	}{
		{name: "findings", files: map[string]string{"gates.yaml": gates}, arguments: []string{"-f", "gates.yaml"},
			code: findings, out: ofDelay + ofMotto},
		{name: "no findings", files: map[string]string{"gates.yaml": clean}, arguments: []string{"-f", "gates.yaml"}},
		{name: "must only", files: map[string]string{"gates.yaml": gates},
			arguments: []string{"-f", "gates.yaml", "--severity", "must"}, code: findings, out: ofDelay},
		{name: "a folder", files: map[string]string{"a/b/gates.yaml": gates, "a/notes.txt": "no YAML"},
			arguments: []string{"-f", "a"}, code: findings, out: "a/b/" + ofDelay + "a/b/" + ofMotto},
		{name: "two equal files", files: map[string]string{"gates.yaml": gates, "more/gates.yaml": gates},
			arguments: []string{"-f", "gates.yaml", "-f", "more", "--severity=must"}, code: findings,
			out: ofDelay + "more/" + ofDelay},
		{name: "standard input", stdin: gates, arguments: []string{"-f", "-", "--severity=must"}, code: findings,
			out: strings.Replace(ofDelay, "gates.yaml", "-", 1)},
		{name: "exceptions", files: map[string]string{"gates.yaml": gates, "accepted.yaml": accepted},
			arguments: []string{"-f", "gates.yaml", "--exceptions", "accepted.yaml"}, code: findings, out: ofDelay},
		{name: "an exception that silences nothing", files: map[string]string{"gates.yaml": clean, "accepted.yaml": accepted},
			arguments: []string{"-f", "gates.yaml", "--exceptions", "accepted.yaml"}, code: findings,
			errs: `accepted.yaml: the exception of Gate "spec.motto" from the rule string-bounds silences nothing`},
		{name: "an exception without a reason", files: map[string]string{"gates.yaml": gates,
			"accepted.yaml": "- {kind: Gate, rule: duration}\n"},
			arguments: []string{"-f", "gates.yaml", "--exceptions", "accepted.yaml"}, code: findings, out: ofMotto,
			errs: "has no reason"},
		{name: "a misspelled exception", files: map[string]string{"gates.yaml": gates, "accepted.yaml": "- {feild: spec}\n"},
			arguments: []string{"-f", "gates.yaml", "--exceptions", "accepted.yaml"}, code: failed, errs: "accepted.yaml: "},
		{name: "exceptions from standard input", files: map[string]string{"gates.yaml": gates}, stdin: accepted,
			arguments: []string{"-f", "gates.yaml", "--exceptions", "-"}, code: failed, errs: "--exceptions: standard input"},
		{name: "no definition", files: map[string]string{"gates.yaml": "apiVersion: v1\nkind: ConfigMap\n"},
			arguments: []string{"-f", "gates.yaml"}, code: failed, errs: "no CustomResourceDefinition in gates.yaml"},
		{name: "another version of definitions", files: map[string]string{"gates.yaml": strings.ReplaceAll(gates,
			"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")}, arguments: []string{"-f", "gates.yaml"}, code: failed,
			errs: "gates.yaml:6: "},
		{name: "broken YAML", files: map[string]string{"gates.yaml": "a: b: c"}, arguments: []string{"-f", "gates.yaml"},
			code: failed, errs: "gates.yaml:1: "},
		{name: "no file", arguments: []string{"-f", "gates.yaml"}, code: failed, errs: "gates.yaml"},
		{name: "no arguments", code: failed, errs: "name at least one file with -f"},
		{name: "a file without -f", arguments: []string{"gates.yaml"}, code: failed, errs: "name at least one file with -f"},
		{name: "an unknown severity", arguments: []string{"-f", "-", "--severity", "may"}, code: failed,
			errs: `--severity is must or should, not "may"`},
		{name: "an unknown format", arguments: []string{"-f", "-", "-o", "xml"}, code: failed, errs: "-o is text or json"},
		{name: "help", arguments: []string{"-h"}, errs: "-exceptions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := command(t, tt.files, tt.stdin, tt.arguments...)
			assert.Equal(t, tt.code, code, errs)
			assert.Equal(t, tt.out, out)
			assert.Contains(t, errs, tt.errs)
			if tt.errs == "" {
				assert.Empty(t, errs)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	code, out, errs := command(t, map[string]string{"gates.yaml": gates}, "", "-f", "gates.yaml", "-o", "json",
		"--severity=must")
	assert.Equal(t, findings, code, errs)
	var found []finding
	require.NoError(t, json.Unmarshal([]byte(out), &found))
	require.Len(t, found, 1)
	assert.NotEmpty(t, found[0].Reason)
	found[0].Reason = ""
	assert.Equal(t, finding{File: "gates.yaml", Line: 28, Severity: "must", Kind: "Gate", Field: "spec.closeDelay",
		Rule: "duration", Page: "docs/designing-kinds.md#times-durations-and-units"}, found[0])

	code, out, _ = command(t, map[string]string{"gates.yaml": strings.Split(gates, "        properties:")[0]}, "", "-f",
		"gates.yaml", "-o", "json")
	assert.Zero(t, code)
	assert.Equal(t, "[]\n", out)
}
