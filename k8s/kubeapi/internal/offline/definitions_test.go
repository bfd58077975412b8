package offline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sails is a definition with two versions. A webhook converts between them.
const sails = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ships, kind: Ship}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/"}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, required: [sails], properties: {sails: {type: integer}}}}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          masts:
            type: array
            items: {type: object, properties: {sails: {type: integer, maximum: 9}}}
            x-kubernetes-validations: [{rule: self.size() >= oldSelf.size(), message: masts stay}]
`

// The program calls no webhook, so it says what it does not know.
func TestConversionWebhooksAreNotCalled(t *testing.T) {
	const v1, v2 = "apiVersion: example.com/v1\nkind: Ship\nmetadata: {name: a}\nsails: 3\n",
		"apiVersion: example.com/v2\nkind: Ship\nmetadata: {name: b}\nmasts: [{sails: 3}]\n"
	const warning = "warning: Ship b: is valid in version v2, but it is unknown whether the webhook of the definition can convert it to version v1, which the API stores\n"
	for _, c := range []struct {
		name, in, old, want string
		code                int
	}{
		{"the stored version", v1, "", "1 valid, 0 invalid, 0 unknown, 0 unreadable\n", 0},
		{"another version", v2, "", "in.yaml:1: " + warning + "0 valid, 0 invalid, 1 unknown, 0 unreadable\n", 3},
		{"a fault in another version", strings.Replace(v2, "sails: 3", "sails: 10", 1), "",
			"in.yaml:4: error: Ship b: masts[0].sails: Invalid value: 10: masts[0].sails in body should be less than or equal to 9\n0 valid, 1 invalid, 0 unknown, 0 unreadable\n", 1},
		{"an update of another version", v2, v2,
			"in.yaml:1: warning: Ship b: is validated as a new object, because a webhook converts the old one\nin.yaml:1: " +
				warning + "0 valid, 0 invalid, 1 unknown, 0 unreadable\n", 3},
		{"an update from the stored version", v2, strings.Replace(v1, "name: a", "name: b", 1),
			"in.yaml:1: warning: Ship b: is validated as a new object, because a webhook converts the old one\nin.yaml:1: " +
				warning + "0 valid, 0 invalid, 1 unknown, 0 unreadable\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"crds.yaml": sails, "in.yaml": c.in, "old.yaml": c.old}
			stdout, stderr, code := run(t, files, "", "-f", "in.yaml", "--crds", "crds.yaml", "--old", "old.yaml")
			assert.Equal(t, c.want, stdout)
			assert.Empty(t, stderr)
			assert.Equal(t, c.code, code)
			_, _, code = run(t, files, "", "-f", "in.yaml", "--crds", "crds.yaml", "--ignore-unknown")
			assert.Equal(t, c.code%3, code)
		})
	}
	t.Run("the definition itself", func(t *testing.T) {
		stdout, _, code := run(t, nil, sails+"---\n"+v1, "-f", "-", "--changes")
		assert.NotContains(t, stdout, "strategy")
		assert.Contains(t, stdout, "2 valid, 0 invalid, 0 unknown, 0 unreadable\n")
		assert.Zero(t, code)
	})
	t.Run("a webhook without a URL", func(t *testing.T) {
		stdout, _, _ := run(t, nil, strings.Replace(sails, `clientConfig: {url: "https://127.0.0.1:1/"}`, "clientConfig: {}",
			1), "-f", "-")
		assert.Contains(t, stdout, "spec.conversion.webhook")
	})
}

// Rules in CEL have a budget: that of a definition when it is written, and that of an object.
func TestCostsOfRules(t *testing.T) {
	rule := func(text, limit string) string {
		return strings.NewReplacer("RULE", text, "LIMIT", limit).Replace(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: nets, kind: Net}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          knots:
            type: array
            LIMIT
            items: {type: string, maxLength: 10}
            x-kubernetes-validations:
            - rule: RULE
`)
	}
	const all = "self.all(a, self.all(b, self.all(c, a + b + c != 'x')))"
	stdout, _, code := run(t, nil, rule(all, ""), "-f", "-")
	assert.Contains(t, stdout, "-:21: error: CustomResourceDefinition nets.example.com: spec.validation.openAPIV3Schema.properties[knots].x-kubernetes-validations[0].rule: Forbidden: ")
	assert.Contains(t, stdout, "exceeds budget")
	assert.Equal(t, 1, code)
	net := "apiVersion: example.com/v1\nkind: Net\nmetadata: {name: a}\nknots: [" + strings.Repeat("k,", 99) + "kx]\n"
	stdout, _, code = run(t, map[string]string{"crds.yaml": rule("self.all(a, self.all(b, a != b + 'x'))",
		"maxItems: 100"), "net.yaml": net}, "", "-f", "net.yaml", "--crds", "crds.yaml")
	assert.Contains(t, stdout, "net.yaml:4: error: Net a: knots: Invalid value: ")
	assert.Contains(t, stdout, "failed rule: self.all(a, self.all(b, a != b + 'x'))\n0 valid, 1 invalid, 0 unknown, 0 unreadable\n")
	assert.Equal(t, 1, code)
}
