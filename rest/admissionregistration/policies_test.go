package admissionregistration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/admissionregistration"
)

func TestWarningsInTheStatusOfPoliciesAreComplete(t *testing.T) {
	s := admissionregistration.ValidatingAdmissionPolicyStatus{}
	assert.Empty(t, s.Validate())
	s.TypeChecking = &admissionregistration.TypeChecking{ExpressionWarnings: []admissionregistration.ExpressionWarning{
		{FieldRef: "spec.validations[0].expression", Warning: "a"}, {FieldRef: " "}}}
	var faults []string
	for _, e := range s.Validate() {
		faults = append(faults, e.Error())
	}
	assert.Equal(t, []string{"status.typeChecking.expressionWarnings[1].warning: Required value",
		"status.typeChecking.expressionWarnings[1].fieldRef: Required value"}, faults)
}
