package main

import (
	"testing"

	"github.com/decorum-go/decorum/rest/resttest"
)

// The kind follows the API conventions, apart from the exceptions that state a
// reason.
func TestKindKeepsTheConventions(t *testing.T) {
	resttest.Exceptions{
		{Kind: "Database", Field: "spec.engine", Rule: resttest.RuleConstants, Reason: "the programs' own names, as they are written"},
		{Kind: "Database", Field: "spec.users[].role", Rule: resttest.RuleConstants, Reason: "roles of SQL, which databases know in lower case"},
		{Kind: "Database", Field: "status.readyReplicas", Rule: resttest.RuleOptionalPointer,
			Reason: "the operator always tells it; a status without it is of nobody who looked yet, and then no instance answers"},
	}.Vet(t, databases())
}
