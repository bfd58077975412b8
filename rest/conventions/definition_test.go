package conventions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/crd"
)

const boatDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.fleet.example.com}
spec:
  group: fleet.example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              crew: {type: integer, minimum: 1}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [berth]
            properties:
              berth: {type: string, minLength: 1, maxLength: 20}
              tags: {type: array, maxItems: 9, items: {type: string, minLength: 1, maxLength: 20}}
              selector:
                type: object
                properties:
                  matchLabels: {type: object, additionalProperties: {type: string}}
                  matchExpressions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
              stopTimeout: {type: string, default: 30s, minLength: 1, maxLength: 20}
              holds:
                type: array
                maxItems: 9
                x-kubernetes-list-type: atomic
                items:
                  type: object
                  properties:
                    load.kg: {type: integer, minimum: 1, maximum: 9}
          status:
            type: object
            properties:
              phase: {type: string, enum: [Afloat, Sunk]}
`

// A definition has the findings of a Go type, except for those about Go, and each says where in the definition it is.
func TestFindingsInDefinition(t *testing.T) {
	const v1 = "spec.versions[1].schema.openAPIV3Schema.properties."
	findings, err := conventions.FindingsInDefinition([]byte(boatDefinition))
	require.NoError(t, err)
	var got []string
	for _, f := range findings {
		got = append(got, strings.Join([]string{f.Kind, f.Field, string(f.Rule), f.At}, " "))
	}
	assert.ElementsMatch(t, []string{
		"Boat spec.stopTimeout duration " + v1 + "spec.properties.stopTimeout",
		"Boat spec.tags list-type " + v1 + "spec.properties.tags",
		"Boat spec.holds[].load.kg json-name " + v1 + "spec.properties.holds.items.properties.load.kg",
		"Boat status.phase phase " + v1 + "status.properties.phase",
		"Boat.v1beta1 spec.crew number-bounds spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.crew",
	}, got)
}

// Findings about names say where the names are.
func TestFindingsAboutNamesInDefinition(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"a reserved group", "group: fleet.example.com", "group: fleet.k8s.io", "group-name spec.group"},
		{"a plural", "plural: boats", "plural: boat", "plural spec.names.plural"},
		{"a verb", "kind: Boat", "kind: CreateBoat", "declarative spec.names.kind"},
		{"the kind of a list", "kind: Boat,", "kind: Boat, listKind: Fleet,", "list-kind spec.names.listKind"},
		{"a schema that the API refuses", "crew: {type: integer", "crew: {type: int",
			"works spec.versions[0].schema.openAPIV3Schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(boatDefinition, tt.old, tt.new, 1)
			require.NotEqual(t, boatDefinition, text)
			findings, err := conventions.FindingsInDefinition([]byte(text))
			require.NoError(t, err)
			var got []string
			for _, f := range findings {
				got = append(got, string(f.Rule)+" "+f.At)
			}
			assert.Contains(t, got, tt.want)
		})
	}
}

// The group of a kind that the Kubernetes project has approved is its own.
func TestApprovedDefinition(t *testing.T) {
	text := strings.Replace(boatDefinition, "group: fleet.example.com", "group: fleet.k8s.io", 1)
	text = strings.Replace(text, "metadata: {", `metadata: {annotations: {api-approved.kubernetes.io: "yes"}, `, 1)
	findings, err := conventions.FindingsInDefinition([]byte(text))
	require.NoError(t, err)
	for _, f := range findings {
		assert.NotEqual(t, conventions.RuleGroupName, f.Rule)
	}
}

// The manifest of a kind that keeps the conventions keeps them, too.
func TestFindingsInManifest(t *testing.T) {
	manifest, _, err := crd.Manifest(ships())
	require.NoError(t, err)
	findings, err := conventions.FindingsInDefinition(manifest)
	require.NoError(t, err)
	assert.Empty(t, findings)
}

func TestNoDefinition(t *testing.T) {
	for _, text := range []string{"", "kind: ConfigMap\napiVersion: v1", "{", "kind: CustomResourceDefinition",
		"[]", "kind: [CustomResourceDefinition]"} {
		_, err := conventions.FindingsInDefinition([]byte(text))
		assert.Error(t, err, "%q", text)
	}
}

// A definition without versions, or whose parts have wrong types, has findings instead of a panic.
func TestBrokenDefinitions(t *testing.T) {
	const begin = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	for _, text := range []string{"", "spec: 3", "spec: {versions: {}}", "spec: {versions: [3]}",
		"spec: {names: [], versions: [{}]}",
		"spec: {versions: [{storage: true, schema: {openAPIV3Schema: {type: object, properties: {'': {type: string}}}}}]}",
		"spec: {versions: [{storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: array}}}}}]}",
	} {
		findings, err := conventions.FindingsInDefinition([]byte(begin + text))
		assert.NoError(t, err, "%q", text)
		assert.NotEmpty(t, findings, "%q", text)
	}
}
