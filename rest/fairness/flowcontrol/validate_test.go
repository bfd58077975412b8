package flowcontrol_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
	"github.com/decorum-go/decorum/status"
)

// The faults of objects have the words of kube-apiserver. Module k8s/kubeapi compares them with those of Kubernetes.
func TestFaults(t *testing.T) {
	schema := func() validated { return new(flowcontrol.FlowSchema) }
	level := func() validated { return new(flowcontrol.PriorityLevelConfiguration) }
	for _, c := range []struct {
		name, object string
		of           func() validated
		want         string
	}{
		{"precedence", `{"spec":{"priorityLevelConfiguration":{"name":"a"},"matchingPrecedence":-1}}`, schema,
			`spec.matchingPrecedence: Invalid value: -1: must be a positive value`},
		{"distinguisher", `{"spec":{"priorityLevelConfiguration":{"name":"a"},"matchingPrecedence":5,` +
			`"distinguisherMethod":{"type":"ByHost"}}}`, schema,
			`spec.distinguisherMethod.type: Unsupported value: {"type":"ByHost"}: supported values: "ByNamespace", "ByUser"`},
		{"verb", `{"spec":{"priorityLevelConfiguration":{"name":"a"},"matchingPrecedence":5,"rules":[{` +
			`"subjects":[{"kind":"User","user":{"name":"a"}}],"nonResourceRules":[{"verbs":["see"],"nonResourceURLs":["/"]}]}]}}`,
			schema, `spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["see"]: supported values: "create", ` +
				`"delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`},
		{"condition without a type", `{"spec":{"priorityLevelConfiguration":{"name":"a"},"matchingPrecedence":5},` +
			`"status":{"conditions":[{"status":"True"}]}}`, schema, `status.conditions[0].type: Required value`},
		{"level without a type", `{"spec":{}}`, level, `spec.type: Required value`},
		{"unknown type of a level", `{"spec":{"type":"a"}}`, level,
			`spec.type: Unsupported value: "a": supported values: "Exempt", "Limited"`},
		{"answer without a type", `{"spec":{"type":"Limited","limited":{}}}`, level,
			`spec.limited.limitResponse.type: Required value`},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := c.of()
			require.NoError(t, json.Unmarshal([]byte(c.object), object))
			var got []string
			for _, e := range object.Validate() {
				got = append(got, e.Error())
			}
			assert.Equal(t, []string{c.want}, got)
		})
	}
}

type validated interface{ Validate() status.FieldErrors }
