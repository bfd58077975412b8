package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const root = "../../../.."

var update = flag.Bool("update", false, "write testdata/odd.go")

// command runs the command with a standard input.
func command(stdin string, arguments ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = run(arguments, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The printed code has the tags, and lists the parts of the definitions that they do not express.
func TestPrintedCode(t *testing.T) {
	code, out, errs := command("", "-f", "testdata/odd.yaml", "--package", "odd")
	require.Equal(t, done, code, errs)
	const golden = "testdata/odd.go"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out, "go test -update writes the file")
}

func TestArguments(t *testing.T) {
	odd, err := os.ReadFile("testdata/odd.yaml")
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(odd), "\n---\n")
	tests := []struct {
		name, stdin string
		arguments   []string
		code        int
		out, errs   string // parts
	}{
		{name: "standard input", stdin: first, arguments: []string{"-f", "-"}, out: "package main\n"},
		{name: "another version", stdin: first, arguments: []string{"-f", "-", "--version", "v1beta1"},
			out: `Stage: rest.Stage{NotServed: false, Deprecated: true, Warning: "use v1, please"},`},
		{name: "unknown version", stdin: first, arguments: []string{"-f", "-", "--version", "v7"}, code: failed,
			errs: `-:2: the definition has no version "v7"`},
		{name: "no definition", stdin: "apiVersion: v1\nkind: ConfigMap\n", arguments: []string{"-f", "-"}, code: failed,
			errs: "no CustomResourceDefinition in -"},
		{name: "another API version", stdin: strings.Replace(first, "k8s.io/v1", "k8s.io/v1beta1", 1),
			arguments: []string{"-f", "-"}, code: failed, errs: "must be of version v1 of its API, not v1beta1"},
		{name: "an invalid schema", stdin: strings.Replace(first, "type: number", "type: float", 1),
			arguments: []string{"-f", "-"}, code: failed, errs: `spec.ratio: type: "float" is not a JSON type`},
		{name: "a kind that is not a Go name", stdin: strings.Replace(first, "kind: Oddity", "kind: oddity", 1),
			arguments: []string{"-f", "-"}, code: failed, errs: `the kind "oddity" cannot be the name of an exported Go type`},
		{name: "broken YAML", stdin: "a: b: c", arguments: []string{"-f", "-"}, code: failed, errs: "gokinds: -:1: "},
		{name: "no arguments", code: failed, errs: "name at least one file with -f"},
		{name: "a file without -f", arguments: []string{"-f", "a.yaml", "b.yaml"}, code: failed, errs: `unexpected argument "b.yaml"`},
		{name: "not a package name", arguments: []string{"-f", "-", "--package", "a-b"}, code: failed, errs: `"a-b" cannot be`},
		{name: "help", arguments: []string{"-h"}, errs: "-package"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := command(tt.stdin, tt.arguments...)
			assert.Equal(t, tt.code, code)
			assert.Contains(t, out, tt.out)
			assert.Contains(t, errs, tt.errs)
		})
	}
}

// definitions are the files with definitions in this repository.
var definitions = []string{
	"rest/crd/cmd/gokinds/testdata/odd.yaml",
	"examples/quickstart/definition.yaml",
	"internal/test/helm/testdata/fleet/crds/ships.yaml",
	"internal/test/oracle/testdata/crds/orchard/definitions.yaml",
	"internal/test/oracle/testdata/crds/roots/definitions.yaml",
	"k8s/kubeapi/internal/offline/testdata/broken-with/crds/orders.yaml",
	"rest/conformance/fixtures/widget-crd.yaml",
}

// The printed code compiles, rest.New accepts the kinds, and their definitions equal the original ones, except for the
// parts that the comment of the code lists.
func TestRoundTrip(t *testing.T) {
	module, err := filepath.Abs(root)
	require.NoError(t, err)
	const printed = "rest/crd/cmd/gokinds/printed"
	dir, overlay := t.TempDir(), map[string]string{} // the go command sees these files in the module
	write := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		overlay[filepath.Join(module, printed, name)] = file
	}
	var imports, kinds strings.Builder
	var want []map[string]any
	for i, file := range definitions {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		for j, document := range strings.Split(string(text), "\n---\n") {
			var d map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(document), &d))
			if d["kind"] != "CustomResourceDefinition" {
				continue
			}
			pkg := fmt.Sprintf("p%d_%d", i, j)
			code, out, errs := command(document, "-f", "-", "--package", pkg)
			require.Equal(t, done, code, "%s: %s", file, errs)
			write(pkg+"/kinds.go", out)
			names := d["spec"].(map[string]any)["names"].(map[string]any)
			fmt.Fprintf(&imports, "%q\n", "github.com/decorum-go/decorum/"+printed+"/"+pkg)
			fmt.Fprintf(&kinds, "%s.%s(),\n", pkg, goName(names["plural"].(string)))
			want = append(want, d)
		}
	}
	write("main.go", fmt.Sprintf(`package main

import (
	"fmt"
	"log"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	%s)

func main() {
	for _, kind := range []rest.Definition{
		%s} {
		api, err := rest.New(rest.Options{}, kind)
		if err != nil {
			log.Fatal(err)
		}
		api.Close()
		text, _, err := crd.Manifest(kind)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%%s\n---\n", text)
	}
}
`, &imports, &kinds))
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	files := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(files, replace, 0o600))

	run := exec.CommandContext(t.Context(), "go", "run", "-overlay", files, "./"+printed)
	run.Dir = root
	var errs strings.Builder
	run.Stderr = &errs
	out, err := run.Output()
	require.NoError(t, err, errs.String())
	manifests := strings.Split(strings.TrimSuffix(string(out), "\n---\n"), "\n---\n")
	require.Len(t, manifests, len(want))
	for i, text := range manifests {
		var got map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &got))
		assert.Equal(t, essence(t, want[i]), essence(t, got))
	}
}

// essence returns the storage version of a definition without the parts that the code of a kind does not express.
func essence(t *testing.T, definition map[string]any) map[string]any {
	t.Helper()
	spec := definition["spec"].(map[string]any)
	names := spec["names"].(map[string]any)
	kind := names["kind"].(string)
	for key, usual := range map[string]string{"singular": strings.ToLower(kind), "listKind": kind + "List"} {
		if names[key] == nil {
			names[key] = usual
		}
	}
	out := map[string]any{"group": spec["group"], "scope": spec["scope"], "names": names}
	for _, one := range spec["versions"].([]any) {
		version := one.(map[string]any)
		if version["storage"] != true {
			continue
		}
		schema := version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if properties == nil {
			properties = map[string]any{}
			schema["properties"] = properties
		}
		delete(properties, "apiVersion")
		delete(properties, "kind")
		properties["metadata"] = map[string]any{"type": "object"}
		if required, ok := schema["required"].([]any); ok {
			schema["required"] = slices.DeleteFunc(required, func(name any) bool { return name == "metadata" || name == "status" })
		}
		schema["type"] = "object" // each object is one
		for _, key := range []string{"minProperties", "maxProperties", "x-kubernetes-int-or-string"} {
			delete(schema, key)
		}
		simplify(schema)
		if subresources, _ := version["subresources"].(map[string]any); properties["status"] == nil && subresources != nil {
			delete(subresources, "status")
			if len(subresources) == 0 {
				version["subresources"] = nil
			}
		}
		if properties["status"] != nil {
			subresources, _ := version["subresources"].(map[string]any)
			if subresources == nil {
				subresources = map[string]any{}
			}
			subresources["status"] = map[string]any{}
			version["subresources"] = subresources
		}
		if columns, ok := version["additionalPrinterColumns"].([]any); ok {
			version["additionalPrinterColumns"] = slices.DeleteFunc(columns, func(c any) bool {
				return c.(map[string]any)["name"] == "Missing"
			})
		}
		for _, key := range []string{"schema", "subresources", "selectableFields", "additionalPrinterColumns"} {
			out[key] = version[key]
		}
	}
	return out
}

// simplify removes the parts of a schema that the code of a kind does not express, and redundant parts.
func simplify(s map[string]any) {
	for _, key := range []string{"x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not", "title", "example",
		"x-kubernetes-embedded-resource"} {
		delete(s, key)
	}
	if s["type"] == "integer" && s["format"] == nil {
		s["format"] = "int64"
	}
	if enum, ok := s["enum"].([]any); ok {
		text := fmt.Sprint(enum...)
		if strings.Contains(text, "|") || slices.Contains(enum, nil) {
			delete(s, "enum")
		}
	}
	if values, ok := s["additionalProperties"].(map[string]any); ok && values["type"] == nil {
		delete(s, "additionalProperties") // Go's values may be anything
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	properties, _ := s["properties"].(map[string]any)
	if properties != nil {
		delete(s, "x-kubernetes-preserve-unknown-fields")
		delete(properties, "a,b")
	}
	condition := properties["lastTransitionTime"] != nil && properties["reason"] != nil
	for _, below := range properties {
		below := below.(map[string]any)
		if condition { // the documentation comes from apimeta.Condition
			delete(below, "description")
		}
		simplify(below)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, ok := s[key].(map[string]any); ok {
			simplify(below)
			if condition, _ := below["properties"].(map[string]any); condition["lastTransitionTime"] != nil {
				delete(below, "description")
			}
		}
	}
	if required, ok := s["required"].([]any); ok {
		slices.SortFunc(required, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		if len(required) == 0 {
			delete(s, "required")
		}
	}
}
