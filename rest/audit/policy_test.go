package audit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
)

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"

// parse parses a policy with these members beside apiVersion and kind.
func parse(t testing.TB, text string) *audit.Policy {
	t.Helper()
	p, err := audit.ParsePolicy([]byte(head + text))
	require.NoError(t, err)
	return p
}

func TestParsePolicyReadsEveryField(t *testing.T) {
	no := false
	p := parse(t, `
metadata: {name: any}
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Request
  users: [alice]
  userGroups: [dev]
  verbs: [get, list]
  resources:
  - group: apps
    resources: [deployments, "*/scale"]
    resourceNames: [web]
  namespaces: ["", default]
  omitStages: [Panic]
  omitManagedFields: false
- level: None
  nonResourceURLs: ["/healthz*", "*"]
`)
	assert.Equal(t, &audit.Policy{
		OmitStages: []audit.Stage{audit.StageRequestReceived}, OmitManagedFields: true,
		Rules: []audit.PolicyRule{
			{
				Level: audit.LevelRequest, Users: []string{"alice"}, UserGroups: []string{"dev"}, Verbs: []string{"get", "list"},
				Resources: []audit.GroupResources{{Group: "apps", Resources: []string{"deployments", "*/scale"},
					ResourceNames: []string{"web"}}},
				Namespaces: []string{"", "default"}, OmitStages: []audit.Stage{audit.StagePanic}, OmitManagedFields: &no,
			},
			{Level: audit.LevelNone, NonResourceURLs: []string{"/healthz*", "*"}},
		},
	}, p)
}

func TestParsePolicyNamesTheFieldAtFault(t *testing.T) {
	for text, want := range map[string]string{
		"":                "an object, not null",
		"[]":              "an object, not array",
		"a: {":            "neither YAML nor JSON",
		head:              "rules: Required value: a policy has at least one rule",
		head + "rules: 3": `rules: Invalid value: "number": must be of type array`,
		"apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]": `apiVersion: Unsupported value: "audit.k8s.io/v1beta1"`,
		"apiVersion: audit.k8s.io/v1\nkind: Event\nrules: [{level: None}]":       `kind: Unsupported value: "Event"`,
		head + "metadata: {name: 3}\nrules: [{level: None}]":                     "metadata: Invalid value",
		head + "rules: [{}]":                                                                "rules[0].level: Required value",
		head + "rules: [null]":                                                              "rules[0].level: Required value",
		head + "rules: [{level: None}, {level: Everything}]":                                `rules[1].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse"`,
		head + "rules: [{level: None, users: [3]}]":                                         `rules[0].users[0]: Invalid value: "number": must be of type string`,
		head + "rules: [{level: None, omitManagedFields: yes please}]":                      "rules[0].omitManagedFields: Invalid value",
		head + "rules: [{level: None, omitStages: [Late]}]":                                 `rules[0].omitStages[0]: Unsupported value: "Late"`,
		head + "omitStages: [Late]\nrules: [{level: None}]":                                 `omitStages[0]: Unsupported value: "Late"`,
		head + "rules: [{level: None, nonResourceURLs: [healthz]}]":                         "rules[0].nonResourceURLs[0]: Invalid value",
		head + `rules: [{level: None, nonResourceURLs: ["/a*b"]}]`:                          "rules[0].nonResourceURLs[0]: Invalid value",
		head + `rules: [{level: None, nonResourceURLs: ["/a"], namespaces: [a]}]`:           "rules[0].nonResourceURLs: Invalid value",
		head + "rules: [{level: None, resources: [{group: apps/v1}]}]":                      "rules[0].resources[0].group: Invalid value",
		head + "rules: [{level: None, resources: [{group: apps}, {resourceNames: [web]}]}]": "rules[0].resources[1].resourceNames: Invalid value",
	} {
		p, err := audit.ParsePolicy([]byte(text))
		assert.Nil(t, p, text)
		assert.ErrorContains(t, err, want, text)
	}
}

// kube-apiserver accepts such a file and warns.
func TestParsePolicyReportsWhatItIgnores(t *testing.T) {
	p := parse(t, "rules:\n- level: None\n  level: Metadata\n  namespace: [a]\n")
	assert.Equal(t, audit.LevelMetadata, p.Rules[0].Level)
	require.Len(t, p.Ignored(), 2)
	assert.Contains(t, p.Ignored()[0], `key "level" already set`)
	assert.Equal(t, `unknown field "rules[0].namespace"`, p.Ignored()[1])
}

func TestReadPolicyNamesTheFile(t *testing.T) {
	p, err := audit.ReadPolicy("testdata/policy.yaml")
	require.NoError(t, err)
	assert.Len(t, p.Rules, 6)

	_, err = audit.ReadPolicy(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)

	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	require.NoError(t, os.WriteFile(wrong, []byte(head), 0o600))
	_, err = audit.ReadPolicy(wrong)
	require.ErrorContains(t, err, wrong+": rules: Required value")
}

// Each rule is at level Metadata, and the request matches or does not.
func TestRulesMatchRequests(t *testing.T) {
	get := func(group, resource, subresource, name string) access.Access {
		return access.Access{User: access.User{Name: "alice", Groups: []string{"dev", "ops"}}, Verb: access.VerbGet,
			Group: group, Version: "v1", Resource: resource, Subresource: subresource, Namespace: "default", Name: name}
	}
	pod, log, node := get("", "pods", "", "a"), get("", "pods", "log", "a"), get("", "nodes", "", "a")
	node.Namespace = ""
	scale := get("apps", "deployments", "scale", "web")
	path := access.Access{User: pod.User, Verb: "get", Path: "/healthz/ping"}
	unknown := pod
	unknown.User = access.User{}

	for rule, c := range map[string]struct{ matches, not []access.Access }{
		"":                            {matches: []access.Access{pod, log, node, scale, path, unknown}},
		"users: [bob, alice]":         {matches: []access.Access{pod, path}, not: []access.Access{unknown}},
		"users: [bob]":                {not: []access.Access{pod, path}},
		`users: [""]`:                 {not: []access.Access{unknown}},
		"userGroups: [ops]":           {matches: []access.Access{pod}, not: []access.Access{unknown}},
		"userGroups: [admins]":        {not: []access.Access{pod}},
		"verbs: [get]":                {matches: []access.Access{pod, path}},
		"verbs: [list]":               {not: []access.Access{pod, path}},
		"namespaces: [default]":       {matches: []access.Access{pod, scale}, not: []access.Access{node, path}},
		`namespaces: [""]`:            {matches: []access.Access{node}, not: []access.Access{pod, path}},
		`nonResourceURLs: ["*"]`:      {matches: []access.Access{path}, not: []access.Access{pod}},
		`nonResourceURLs: ["/heal*"]`: {matches: []access.Access{path}},
		`nonResourceURLs: ["/healthz", "/healthz/p"]`: {not: []access.Access{path}},
		`resources: [{}]`: {matches: []access.Access{pod, log, node},
			not: []access.Access{scale, path}},
		`resources: [{group: "*"}]`: {matches: []access.Access{pod, scale},
			not: []access.Access{path}},
		`resources: [{group: apps}, {group: batch}]`: {matches: []access.Access{scale},
			not: []access.Access{pod}},
		`resources: [{resources: [pods]}]`: {matches: []access.Access{pod},
			not: []access.Access{log, node}},
		`resources: [{resources: [pods/log]}]`: {matches: []access.Access{log},
			not: []access.Access{pod}},
		`resources: [{resources: ["pods/*"]}]`: {matches: []access.Access{pod, log},
			not: []access.Access{node}},
		`resources: [{group: "*", resources: ["*/scale"]}]`: {matches: []access.Access{scale},
			not: []access.Access{pod, log}},
		`resources: [{resources: ["*"], resourceNames: [a]}]`: {matches: []access.Access{pod, log, node},
			not: []access.Access{scale}},
		`resources: [{group: apps, resources: ["*"], resourceNames: [other]}]`:   {not: []access.Access{scale}},
		`resources: [{resources: ["pods/", "*/", "/log", "*/*", "pods/log/a"]}]`: {not: []access.Access{pod, log}},
	} {
		p := parse(t, "rules: [{level: Metadata, "+rule+"}]")
		for _, a := range c.matches {
			assert.Equal(t, audit.LevelMetadata, p.Evaluate(a).Level, "%s: %+v", rule, a)
		}
		for _, a := range c.not {
			assert.Equal(t, audit.LevelNone, p.Evaluate(a).Level, "%s: %+v", rule, a)
		}
	}
}

func TestTheFirstMatchingRuleDecides(t *testing.T) {
	p := parse(t, `
omitStages: [Panic]
omitManagedFields: true
rules:
- {level: Request, verbs: [create], omitStages: [RequestReceived], omitManagedFields: false}
- {level: Metadata, verbs: [create, update]}
`)
	create, update, other := p.Evaluate(access.Access{Verb: "create"}), p.Evaluate(access.Access{Verb: "update"}),
		p.Evaluate(access.Access{Verb: "get"})
	assert.Equal(t, []audit.Level{"Request", "Metadata", "None"}, []audit.Level{create.Level, update.Level, other.Level})
	assert.Equal(t, []bool{false, true, true},
		[]bool{create.OmitManagedFields, update.OmitManagedFields, other.OmitManagedFields})
	assert.True(t, create.Omits(audit.StagePanic) && create.Omits(audit.StageRequestReceived))
	assert.True(t, update.Omits(audit.StagePanic) && other.Omits(audit.StagePanic))
	assert.False(t, create.Omits(audit.StageResponseComplete) || update.Omits(audit.StageRequestReceived))
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	p, err := audit.ReadPolicy("testdata/policy.yaml")
	require.NoError(t, err)
	a := access.Access{User: access.User{Name: "alice", Groups: []string{"dev"}}, Verb: "list", Version: "v1",
		Resource: "nodes"}
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.Evaluate(a) }))
}
