package offline_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/offline"
)

// run runs the program with files in a folder of their own, which is the prefix of their names in the output.
func run(t *testing.T, files map[string]string, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for i, arg := range args {
		if _, is := files[arg]; is || strings.HasSuffix(arg, "/") {
			args[i] = filepath.Join(dir, arg)
		}
	}
	stdout, stderr, code = runOn(t, strings.NewReader(stdin), args...)
	return strings.ReplaceAll(stdout, dir+string(filepath.Separator), ""), stderr, code
}

// runOn runs the program with a standard input.
func runOn(t *testing.T, stdin io.Reader, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = offline.Run(t.Context(), args, stdin, &out, &errs)
	return out.String(), errs.String(), code
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.29"}
`

const limit = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= int(params.data.most)
    messageExpression: "'at most ' + params.data.most"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec:
  policyName: replicas
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
  matchResources:
    namespaceSelector: {matchLabels: {limited: "yes"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits}
data: {most: "1"}
`

const namespace = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {limited: "yes"}}
`

func TestPoliciesDecide(t *testing.T) {
	const denied = `web.yaml:1: error: Deployment shop/web: ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: at most 1
`
	files := map[string]string{"in/web.yaml": deployment, "in/shop.yaml": namespace, "policies/limit.yaml": limit}
	t.Run("policies that exist", func(t *testing.T) {
		stdout, stderr, code := run(t, files, "", "-f", "in/", "--policies", "policies/")
		assert.Equal(t, "in/"+denied+"1 valid, 1 invalid, 0 unknown, 0 unreadable\n", stdout)
		assert.Empty(t, stderr)
		assert.Equal(t, 1, code)
	})
	t.Run("policies among the manifests", func(t *testing.T) {
		stdout, _, code := run(t, files, "", "-f", "in/", "-f", "policies/")
		assert.Equal(t, "in/"+denied+"4 valid, 1 invalid, 0 unknown, 0 unreadable\n", stdout)
		assert.Equal(t, 1, code)
	})
	t.Run("a namespace that the binding does not select", func(t *testing.T) {
		_, _, code := run(t, files, "", "-f", "in/web.yaml", "--policies", "policies/")
		assert.Equal(t, 0, code)
	})
	t.Run("a policy that mutates", func(t *testing.T) {
		stdout, _, code := run(t, map[string]string{"web.yaml": deployment,
			"policy.yaml": `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: replicas}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{spec: Object.spec{replicas: 3}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: replicas}
spec: {policyName: replicas}
`}, "", "-f", "web.yaml", "--policies", "policy.yaml", "--changes")
		assert.Contains(t, stdout, "web.yaml:5: note: Deployment shop/web: spec.replicas: becomes 3\n")
		assert.Equal(t, 0, code)
	})
}

func TestUpdatesKeepWhatCannotChange(t *testing.T) {
	files := map[string]string{"web.yaml": strings.ReplaceAll(deployment, "app: web", "app: shop"), "old.yaml": deployment}
	stdout, _, code := run(t, files, "", "-f", "web.yaml", "--old", "old.yaml")
	assert.Contains(t, stdout, "web.yaml:6: error: Deployment shop/web: spec.selector: Invalid value: ")
	assert.Contains(t, stdout, ": field is immutable\n")
	assert.Equal(t, 1, code)
}

// Admission plugins look at other objects of the input.
func TestObjectsSeeEachOther(t *testing.T) {
	const pod = `apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {priorityClassName: urgent, containers: [{name: a, image: a}]}
`
	stdout, _, code := run(t, nil, pod, "-f", "-")
	assert.Equal(t, `-:1: error: Pod a: pods "a" is forbidden: no PriorityClass with name urgent was found
0 valid, 1 invalid, 0 unknown, 0 unreadable
`, stdout)
	assert.Equal(t, 1, code)
	_, _, code = run(t, nil, pod+
		"---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1000}\n", "-f", "-")
	assert.Equal(t, 0, code)
}

func TestWebhooksAreNotCalled(t *testing.T) {
	_, _, code := run(t, map[string]string{"hook.yaml": `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: all}
webhooks:
- name: all.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
`, "web.yaml": deployment}, "", "-f", "hook.yaml", "-f", "web.yaml", "--policies", "hook.yaml")
	assert.Equal(t, 0, code)
}

func TestExitStatus(t *testing.T) {
	const unknown = "apiVersion: example.com/v1\nkind: Ship\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, in string
		args     []string
		want     int
	}{
		{"valid", deployment, nil, 0},
		{"nothing", "", nil, 0},
		{"invalid", strings.ReplaceAll(deployment, "replicas: 2", "replicas: -2"), nil, 1},
		{"unreadable", deployment + "---\na: [\n", nil, 2},
		{"an unknown kind", deployment + "---\n" + unknown, nil, 3},
		{"an unknown kind that is ignored", unknown, []string{"--ignore-unknown"}, 0},
		{"an unknown kind beside an invalid object", unknown + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", nil,
			1},
		{"an unknown flag", "", []string{"--bogus"}, 2},
		{"an argument", "", []string{"bogus"}, 2},
		{"a file that does not exist", "", []string{"--crds", "/does/not/exist"}, 2},
		{"an unknown output", "", []string{"--output", "xml"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := run(t, nil, c.in, append([]string{"-f", "-"}, c.args...)...)
			assert.Equal(t, c.want, code, stdout+stderr)
			assert.Equal(t, stdout == "", stderr != "", "%q", stderr)
		})
	}
}

func TestJSON(t *testing.T) {
	const in = "# Source: shop/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: <A>\n---\n- a\n"
	stdout, _, code := run(t, nil, in, "-f", "-", "--output", "json")
	assert.JSONEq(t, `{"results": [
		{"file": "-", "line": 2, "source": "shop/templates/a.yaml", "apiVersion": "v1", "kind": "ConfigMap", "name": "<A>", "verdict": "invalid",
			"code": 422, "findings": [{"severity": "error", "line": 5, "field": "metadata.name", "reason": "FieldValueInvalid",
			"message": "Invalid value: \"<A>\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}]},
		{"file": "-", "line": 7, "verdict": "unreadable", "findings": [{"severity": "error", "line": 7, "message": "the document is not an object"}]}
	], "summary": {"valid": 0, "invalid": 1, "unknown": 0, "unreadable": 1}}`, stdout)
	assert.Equal(t, 2, code)
}
