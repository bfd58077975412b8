package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exampleTargets returns the kinds of the examples.
func exampleTargets() []target {
	return []target{{
		host:  host{program: "quickstart", namespaces: true},
		group: "platform.example.com", kind: "Database", plural: "databases", short: "db", all: true, older: true,
		collects: true,
		full:     `spec: {engine: postgres, replicas: 2, storageGiB: 50, users: [{name: app, role: writer}]}`,
		bare:     `spec: {engine: postgres, replicas: 2}`,
		other:    `spec: {engine: mysql}`,
		wrong:    `spec: {engine: oracle}`, complaint: `spec.engine: Unsupported value: "oracle"`,
		typo: `spec: {engine: mysql, sise: 1}`, unknown: "spec.sise",
		selector: "spec.engine=postgres", list: ".spec.users", element: "/spec/users/0",
		field: ".spec.storageGiB", set: "50", unset: "10", change: `{"spec":{"storageGiB":20}}`, changed: "20",
		heading: []string{"NAME", "ENGINE", "REPLICAS", "READY", "AGE"}, wide: "STORAGE",
		doc:    "Database is a ",
		nested: "spec.users.role", nestedDoc: "What the account may do.",
		explainsAll: []string{"users", "lastTransitionTime"},
		described:   []string{"Engine:", "Status:"},
		ready:       func(*testing.T, *server, string) {}, // its controller sets it
	}, {
		host:  host{program: "embed"},
		group: "deploy.example.com", kind: "Environment", plural: "environments", short: "env", all: true, older: true,
		collects: true,
		full:     `spec: {branch: main, size: large, variables: [{name: LOG, value: debug}]}`,
		bare:     `spec: {branch: main}`,
		other:    `spec: {branch: feature}`,
		wrong:    `spec: {branch: main, size: huge}`, complaint: `spec.size: Unsupported value: "huge"`,
		typo: `spec: {branch: main, sise: 1}`, unknown: "spec.sise",
		selector: "spec.branch=main", list: ".spec.variables", element: "/spec/variables/0",
		field: ".spec.size", set: "large", unset: "small", change: `{"spec":{"size":"medium"}}`, changed: "medium",
		heading: []string{"NAME", "BRANCH", "RELEASE", "READY", "AGE"}, wide: "SIZE",
		doc:    "Environment is a ",
		nested: "spec.size", nestedDoc: "How much of everything it gets.",
		explainsAll: []string{"variables", "lastTransitionTime"},
		described:   []string{"Branch:"},
		ready: func(t *testing.T, s *server, name string) {
			service := strings.TrimSuffix(s.url, "/platform")
			answer, err := http.Post(fmt.Sprintf("%s/deployed/%s/%s?release=v1", service, namespace, name), "", nil)
			require.NoError(t, err)
			defer answer.Body.Close()
			assert.Equal(t, http.StatusNoContent, answer.StatusCode)
		},
	}}
}
