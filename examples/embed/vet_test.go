package main

import (
	"testing"

	"github.com/decorum-go/decorum/rest/conventions"
)

// The kind follows the API conventions, apart from the exceptions that state a
// reason.
func TestKindKeepsTheConventions(t *testing.T) {
	conventions.Exceptions{
		{Kind: "Environment", Field: "spec.size", Rule: conventions.RuleConstants,
			Reason: "the sizes' names at the company, older than this API"},
	}.Vet(t, environments())
}
