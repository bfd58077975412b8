package main

import (
	"testing"

	"github.com/decorum-go/decorum/rest/conventions"
)

// The kind follows the API conventions, apart from the exceptions that state a
// reason.
func TestKindKeepsTheConventions(t *testing.T) {
	conventions.Exceptions{
		{Kind: "Database", Field: "spec.users[].role", Rule: conventions.RuleConstants,
			Reason: "roles of SQL, which databases know in lower case"},
		{Kind: "Database", Field: "status.readyReplicas", Rule: conventions.RuleOptionalPointer,
			Reason: "the operator always sets it; without it, the operator has not looked yet and no instance answers"},
	}.Vet(t, databases())
}
