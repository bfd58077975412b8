package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const platformV1 = "/openapi/v3/apis/platform.example.com/v1"

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, resources: {limits: {cpu: 1, memory: 1Gi}}}]}
`

// kindSchema turns an OpenAPI document into the JSON schema of one of its kinds, as the command with jq in docs/tools.md
// does.
func kindSchema(t *testing.T, document []byte, kind string) string {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(document, &all))
	all["$ref"] = "#/components/schemas/" + kind
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// kubeconform validates manifests with schemas from OpenAPI documents.
func TestKubeconform(t *testing.T) {
	program := build(t, kubeconform)
	dir := t.TempDir()
	write(t, dir, "database.json", kindSchema(t, get(t, quickstart(t)+platformV1), "com.example.platform.v1.Database"))
	write(t, dir, "deployment.json", kindSchema(t, raw(t, kubeapi(t), "/openapi/v3/apis/apps/v1"), "io.k8s.api.apps.v1.Deployment"))
	args := []string{"-schema-location", dir + "/{{ .ResourceKind }}.json", "-summary", "-verbose"}
	sample := read(t, root+"/examples/quickstart/sample.yaml")

	assert.Contains(t, command{input: sample + "---" + deployment}.run(t, program, args...), "Valid: 2, Invalid: 0")
	for _, tt := range []struct{ name, input, says string }{
		{"enum", replaced(t, sample, "postgres", "oracle"), "value must be one of 'postgres', 'mysql', 'sqlite'"},
		{"bound", replaced(t, sample, "replicas: 3", "replicas: 30"), "maximum: got 30, want 9"},
		{"required field", replaced(t, sample, "engine: postgres", "storageGiB: 5"), "missing property 'engine'"},
		{"type", replaced(t, deployment, "replicas: 2", "replicas: two"), "got string, want integer"},
		{"type in a list", replaced(t, deployment, "image: nginx", "image: 1"), "got number, want string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := command{input: tt.input}.try(t, program, args...)
			assert.Error(t, err)
			assert.Contains(t, out, tt.says)
		})
	}
	t.Run("unknown field", func(t *testing.T) { // the schemas of OpenAPI allow it, and only the API refuses it
		assert.Contains(t, command{input: replaced(t, deployment, "replicas: 2", "replica: 2")}.run(t, program, args...), "Valid: 1")
	})
}

// oapi-codegen generates a Go client from the document of a host. A program uses it to create, list, patch and delete
// an object. The document of apps/v1 gives code that compiles, too.
func TestOapiCodegen(t *testing.T) {
	program := build(t, oapiCodegen)
	url := quickstart(t)
	dir := t.TempDir()
	generate := func(name string, document []byte) {
		out := t.TempDir()
		path := write(t, out, name+".json", string(document))
		code := command{}.run(t, program, "-package", "main", "-generate", "types,client", path)
		write(t, dir, name+".go", code)
	}
	generate("platform", get(t, url+platformV1))
	write(t, dir, "main.go", read(t, "testdata/oapi/main.go"))
	write(t, dir, "go.mod", "module example.com/oapi\n\ngo 1.25\n")
	module := command{dir: dir, env: []string{"GOFLAGS=-mod=mod", "GOWORK=off"}}
	module.run(t, "go", "get", oapiRuntime.module+"@"+oapiRuntime.version)
	assert.Equal(t, "passed\n", module.run(t, "go", "run", ".", url))

	generate("apps", raw(t, kubeapi(t), "/openapi/v3/apis/apps/v1"))
	write(t, dir, "main.go", "package main\n\nfunc main() {}\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "platform.go")))
	module.run(t, "go", "vet", ".")
}

// openapi-typescript generates the types of a client from the document of a host. TypeScript checks a program with
// them, which openapi-fetch connects to the host.
func TestOpenapiTypescript(t *testing.T) {
	dir := npm(t, openapiTypescript, openapiFetch, typescript)
	url := quickstart(t)
	here := command{dir: dir}
	tool := "node_modules/.bin/openapi-typescript"
	here.run(t, tool, "--default-non-nullable=false", write(t, dir, "platform.json", string(get(t, url+platformV1))),
		"-o", "platform.ts")
	here.run(t, tool, "--default-non-nullable=false",
		write(t, dir, "apps.json", string(raw(t, kubeapi(t), "/openapi/v3/apis/apps/v1"))), "-o", "apps.ts")
	write(t, dir, "program.mts", read(t, "testdata/openapi-typescript.mts"))
	here.run(t, "node_modules/.bin/tsc", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "program.mts")
	assert.Equal(t, "passed\n", here.run(t, "node", "program.mjs", url))
}

// replaced returns a text with one of its parts replaced.
func replaced(t *testing.T, text, old, new string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, new, 1)
}
