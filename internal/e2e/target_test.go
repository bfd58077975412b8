package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// target is an example with its kind: the same commands must work on both, at
// the root of a server and under a path prefix.
type target struct {
	example             string
	group               string
	kind, plural, short string

	full  string // a spec with every field
	bare  string // a spec with the required fields only
	other string // a spec that the selector does not match

	selector     string // a field selector that matches full and bare
	listPath     string // a list that full has and bare has not
	defaultPath  string // a field that full sets and bare leaves to its default
	set, unset   string // its value in full, its default
	changed      string // another value of it, as JSON
	wrong        string // a spec that is refused
	complaint    string // what the refusal says
	heading      []string
	wide         string // a column that only -o wide shows
	nested       string // a path for explain, below the plural
	nestedDoc    string // what explain says of it
	nestedDetail string
	ready        func(t *testing.T, s *server, namespace, name string)
}

func targets() []target {
	return []target{{
		example: "quickstart", group: "platform.example.com",
		kind: "Database", plural: "databases", short: "db",
		full:     `{engine: postgres, replicas: 2, storageGiB: 50, users: [{name: app, role: writer}]}`,
		bare:     `{engine: postgres, replicas: 2}`,
		other:    `{engine: mysql}`,
		selector: "spec.engine=postgres", listPath: "users",
		defaultPath: "storageGiB", set: "50", unset: "10", changed: "20",
		wrong: `{engine: oracle}`, complaint: `spec.engine: Unsupported value: "oracle"`,
		heading: []string{"NAME", "ENGINE", "REPLICAS", "READY", "AGE"}, wide: "STORAGE",
		nested: "spec.users.role", nestedDoc: "What the account may do.", nestedDetail: "writer",
		ready: func(*testing.T, *server, string, string) {}, // its operator sees to it
	}, {
		example: "embed", group: "deploy.example.com",
		kind: "Environment", plural: "environments", short: "env",
		full:     `{branch: main, size: large, variables: [{name: LOG, value: debug}]}`,
		bare:     `{branch: main}`,
		other:    `{branch: feature}`,
		selector: "spec.branch=main", listPath: "variables",
		defaultPath: "size", set: "large", unset: "small", changed: `"medium"`,
		wrong: `{branch: main, size: huge}`, complaint: `spec.size: Unsupported value: "huge"`,
		heading: []string{"NAME", "BRANCH", "RELEASE", "READY", "AGE"}, wide: "SIZE",
		nested: "spec.size", nestedDoc: "How much of everything it gets.", nestedDetail: "medium",
		ready: func(t *testing.T, s *server, namespace, name string) {
			service := strings.TrimSuffix(s.url, "/platform")
			answer, err := http.Post(fmt.Sprintf("%s/deployed/%s/%s?release=v1", service, namespace, name), "", nil)
			require.NoError(t, err)
			defer answer.Body.Close()
			assert.Equal(t, http.StatusNoContent, answer.StatusCode)
		},
	}}
}

// manifest is an object of the target's kind as a file would hold it.
func (g target) manifest(name, team, spec string) string {
	return fmt.Sprintf(`---
apiVersion: %s/v1
kind: %s
metadata:
  name: %s
  labels: {team: %s}
spec: %s
`, g.group, g.kind, name, team, spec)
}

// resource is how kubectl names an object of the kind in what it prints.
func (g target) resource(name string) string {
	return strings.ToLower(g.kind) + "." + g.group + "/" + name
}
