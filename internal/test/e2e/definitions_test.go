package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boatsDefinition defines a kind with two versions. The comment "field" marks where a later state of the definition has
// another field.
const boatsDefinition = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bt], categories: [fleet]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.crew, statusReplicasPath: .status.crew}
    selectableFields: [{jsonPath: .spec.port}]
    additionalPrinterColumns:
    - {name: Port, type: string, jsonPath: .spec.port}
    - {name: Crew, type: integer, jsonPath: .spec.crew, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        description: Boat sails.
        properties:
          spec:
            type: object
            description: What is wanted.
            x-kubernetes-validations: [{rule: "self.crew > 0", message: somebody must steer}]
            properties:
              port: {type: string, default: Bristol, description: Where it is at home.}
              crew: {type: integer, default: 1, description: How many sail.}
              sails: {type: array, items: {type: string}, x-kubernetes-list-type: set}
              #field
          status: {type: object, properties: {crew: {type: integer}}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {port: {type: string, description: The harbour.}, crew: {type: integer}}}
`

const boats = `---
apiVersion: example.org/v1
kind: Boat
metadata: {name: one}
spec: {crew: 2, sails: [jib, main]}
---
apiVersion: example.org/v1
kind: Boat
metadata: {name: two}
spec: {port: Leith}
`

// A client brings a kind, uses it, changes it and removes it, with nothing but kubectl.
func TestKubectlBringsKinds(t *testing.T) {
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			s := startServer(t, host{program: "conformhost", args: []string{"--crds", "--apiservices"}, namespaces: true}, k)
			arrive(t, s)
			listServices(t, s)
			use(t, s)
			change(t, s)
			leave(t, s)
		})
	}
}

// arrive installs the definition together with objects.
func arrive(t *testing.T, s *server) {
	broken := strings.Replace(boatsDefinition, "type: array, items", "type: list, items", 1)
	assert.Contains(t, s.refused(t, broken, "create", "-f", "-"),
		`spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[sails].type: Unsupported value: "list"`)

	assert.Contains(t, s.refused(t, boatsDefinition+boats, "apply", "-f", "-"), "ensure CRDs are installed first",
		"kubectl looks the kinds up before it applies anything")
	waitForBoats(t, s)
	assert.Equal(t, "customresourcedefinition.apiextensions.k8s.io/boats.example.org unchanged\nboat.example.org/one created\nboat.example.org/two created\n",
		s.feed(t, boatsDefinition+boats, "apply", "-f", "-"))
	assert.Equal(t,
		"customresourcedefinition.apiextensions.k8s.io/boats.example.org serverside-applied\nboat.example.org/one serverside-applied\nboat.example.org/two serverside-applied\n",
		s.feed(t, boatsDefinition+boats, "apply", "--server-side", "--force-conflicts", "-f", "-"))
	assertLine(t, s.run(t, "get", "crds"), "boats.example.org")
	assert.Contains(t, s.run(t, "describe", "crd", "boats.example.org"), "Established")
}

// waitForBoats returns when the kind is served. The conditions of a new definition are null at first, as in a cluster,
// and kubectl then refuses to wait for one of them. So the first command waits for the accepted names, which arrive
// with the conditions.
func waitForBoats(t *testing.T, s *server) {
	t.Helper()
	const met = "customresourcedefinition.apiextensions.k8s.io/boats.example.org condition met\n"
	assert.Equal(t, met, s.run(t, "wait", "--for=jsonpath={.status.acceptedNames.kind}=Boat", "crd/boats.example.org"))
	assert.Equal(t, met, s.run(t, "wait", "--for", "condition=Established", "crd/boats.example.org"))
}

// listServices shows that each served version of a group has an APIService, which clients cannot delete. That of a
// definition follows later.
func listServices(t *testing.T, s *server) {
	const name = "v1.example.org"
	for end := time.Now().Add(patience); !strings.Contains(s.run(t, "get", "apiservices", "-o", "name"),
		"/"+name+"\n"); {
		require.True(t, time.Now().Before(end), "the host did not create the APIService %s", name)
	}
	services := s.run(t, "get", "apiservices")
	assertLine(t, services, "NAME", "SERVICE", "AVAILABLE", "AGE")
	assertLine(t, services, "v1.apiextensions.k8s.io", "Local", "True")
	assertLine(t, services, name, "Local", "True")
	assert.Contains(t, s.refused(t, "", "delete", "apiservice", name), "only the server deletes APIServices")
}

// use exercises what the definition declares.
func use(t *testing.T, s *server) {
	assertLine(t, s.run(t, "api-resources"), "boats", "bt", "example.org/v1", "true", "Boat")
	assert.Contains(t, s.run(t, "explain", "boat"), "Boat sails.")
	assertLine(t, s.run(t, "explain", "boats", "--recursive"), "sails", "<[]string>")
	assert.Contains(t, s.run(t, "explain", "boats.spec.port", "--api-version=example.org/v1beta1"), "The harbour.")

	assertLine(t, s.run(t, "get", "bt"), "two", "Leith")
	assertLine(t, s.run(t, "get", "fleet", "-o", "wide"), "one", "Bristol", "2")
	assert.Equal(t, "boat.example.org/two\n",
		s.run(t, "get", "boats", "--field-selector", "spec.port=Leith", "-o", "name"))
	assert.Contains(t, s.refused(t, "", "get", "boats", "--field-selector", "spec.crew=2"),
		"field label not supported: spec.crew")

	assert.Equal(t, "boat.example.org/one scaled\n", s.run(t, "scale", "boats/one", "--replicas=5"))
	assert.Equal(t, "5", s.run(t, "get", "boat", "one", "-o", "jsonpath={.spec.crew}"))
	assert.Contains(t, s.refused(t, "", "scale", "boats/one", "--replicas=0"), "somebody must steer")
	assert.Equal(t, "boat.example.org/one patched\n",
		s.run(t, "patch", "boat", "one", "--subresource=status", "--type=merge", "-p", `{"status":{"crew":4}}`))

	assert.Contains(t, stderrOf(t, s, "get", "boats.v1beta1.example.org", "one"),
		"example.org/v1beta1 Boat is deprecated; use example.org/v1 Boat")
	assert.Contains(t, s.run(t, "get", "boats.v1beta1.example.org", "one", "-o", "yaml"),
		"apiVersion: example.org/v1beta1\n")
	assert.Contains(t, s.refused(t, strings.Replace(boats, "port: Leith", "prot: Leith", 1), "apply", "-f", "-"),
		`unknown field "spec.prot"`)
}

// change gives the kind another field, with a default and a column.
func change(t *testing.T, s *server) {
	changed := strings.NewReplacer("#field", "flag: {type: string, default: red, description: What it flies.}",
		"- {name: Crew", "- {name: Flag, type: string, jsonPath: .spec.flag}\n    - {name: Crew").Replace(boatsDefinition)
	assert.Equal(t, "customresourcedefinition.apiextensions.k8s.io/boats.example.org configured\n",
		s.feed(t, changed, "apply", "-f", "-"))
	// No condition of a definition tells when its newest schema holds, as in a cluster.
	for end := time.Now().Add(patience); !strings.Contains(s.run(t, "explain", "boats.spec"), "What it flies."); {
		require.True(t, time.Now().Before(end), "the host did not serve the changed definition")
	}
	assertLine(t, s.run(t, "get", "boats"), "NAME", "PORT", "FLAG")
	assertLine(t, s.run(t, "get", "boats"), "two", "Leith", "red")
	assert.Equal(t, "boat.example.org/two patched\n",
		s.run(t, "patch", "boat", "two", "--type=merge", "-p", `{"spec":{"flag":"blue"}}`))
	assertLine(t, s.run(t, "get", "boats"), "two", "Leith", "blue")
}

// leave deletes the definition, and with it the objects.
func leave(t *testing.T, s *server) {
	assert.Equal(t, "customresourcedefinition.apiextensions.k8s.io \"boats.example.org\" deleted\n",
		s.run(t, "delete", "crd", "boats.example.org"))
	assert.Contains(t, s.refused(t, "", "get", "boats"), "could not find the requested resource")
	s.feed(t, boatsDefinition, "create", "-f", "-")
	waitForBoats(t, s)
	assert.Equal(t, "No resources found in "+namespace+" namespace.\n", stderrOf(t, s, "get", "boats"))
}
