package audit_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
)

// FuzzParsePolicy parses arbitrary text. A policy that is accepted is valid and can be evaluated, and one that is
// refused has an error.
func FuzzParsePolicy(f *testing.F) {
	recorded, err := os.ReadFile("testdata/policy.yaml")
	require.NoError(f, err)
	f.Add(recorded)
	for _, text := range []string{
		"", "null", "[]", "{}", head, head + "rules: [null]", head + "rules: [{level: None}]\n---\nmore", "a: &a [*a]",
		`{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata","resources":[{"group":"*","resources":["*/scale"]}]}]}`,
		head + "omitStages: [Panic]\nrules: [{level: Request, nonResourceURLs: ['*', /a*]}, {level: None, namespaces: ['']}]",
		head + "rules: [{level: 3, users: {}, verbs: 'get'}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := audit.ParsePolicy(text)
		if err != nil {
			require.Nil(t, p)
			require.NotEmpty(t, err.Error())
			return
		}
		require.Empty(t, p.Validate())
		for _, a := range []access.Access{{Verb: "get", Path: "/"},
			{Verb: "get", Version: "v1", Resource: "pods", Subresource: "log", Name: "a"}} {
			assert.Contains(t, []audit.Level{audit.LevelNone, audit.LevelMetadata, audit.LevelRequest,
				audit.LevelRequestResponse}, p.Evaluate(a).Level)
		}
	})
}
