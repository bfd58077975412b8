package rbac_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func TestAdministratorsAreRequired(t *testing.T) {
	for _, groups := range [][]string{nil, {}, {""}} {
		_, err := rbac.New(rbac.Options{Administrators: groups})
		assert.ErrorContains(t, err, "must name at least one group")
	}
}

// A user has the rights of the bindings that name it, its groups, or the service account that it is.
func TestRightsOfSubjects(t *testing.T) {
	s := start(t, nil)
	s.must(t, "POST", clusterRoles, role("reader", readNotes))
	s.must(t, "POST", roles("default"),
		role("writer", `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["create","update"],"resourceNames":["shared",""]}`))
	s.must(t, "POST", clusterRoleBindings, binding("everywhere", "ClusterRole/reader", "User/alice"))
	s.must(t, "POST", bindings("default"), binding("devs", "ClusterRole/reader", "Group/dev"))
	s.must(t, "POST", bindings("default"), binding("writers", "Role/writer", "ServiceAccount/default/robot"))
	s.must(t, "POST", bindings("default"), binding("lost", "Role/nowhere", "User/carol"))
	const note = `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"shared"}}`
	for _, c := range []struct {
		user, method, path, body string
		code                     int
	}{
		{"root|admins", "GET", notes, "", 200},
		{"root|admins", "GET", "/nowhere", "", 404},
		{"alice", "GET", notes, "", 200},
		{"alice", "GET", "/apis/example.com/v1/notes", "", 200},
		{"alice", "DELETE", notes, "", 403},
		{"bob", "GET", notes, "", 403},
		{"bob|dev", "GET", notes, "", 200},
		{"bob|dev", "GET", "/apis/example.com/v1/notes", "", 403},
		{"bob|dev", "GET", strings.Replace(notes, "default", "other", 1), "", 403},
		{"dev", "GET", notes, "", 403},
		{"system:serviceaccount:default:robot", "POST", notes, note, 201},
		{"system:serviceaccount:other:robot", "POST", notes, note, 403},
		{"system:serviceaccount:default:robot", "PUT", notes + "/private", `{"metadata":{"name":"private"}}`, 403},
		{"system:serviceaccount:default:robot", "PUT", notes + "/shared",
			`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"shared"},"text":"a"}`, 422},
		{"system:serviceaccount:default:robot", "PATCH", notes + "/shared", `{"text":"b"}`, 403},
		{"bob", "GET", "/apis", "", 200},
		{"bob", "GET", "/apis/example.com/v1", "", 200},
		{"bob", "GET", "/version", "", 200},
		{"bob", "GET", "/metrics", "", 403},
		{"system:anonymous", "GET", "/version", "", 200},
		{"system:anonymous", "GET", "/apis", "", 403},
	} {
		got := s.send(t, c.user, c.method, c.path, c.body)
		assert.Equal(t, c.code, got.Code, "%s %s %s: %s", c.user, c.method, c.path, got.Body)
	}
	assert.Equal(t,
		`notes.example.com is forbidden: User "carol" cannot list resource "notes" in API group "example.com" in the namespace "default": RBAC: role.rbac.authorization.k8s.io "nowhere" not found`,
		s.send(t, "carol", "GET", notes, "").message(t))
}

// decision returns what the Authorizer of a server decides about a list of notes.
func (s *server) decision(t testing.TB, user string, groups ...string) access.Decision {
	t.Helper()
	d, err := s.roles.authorizer.Authorize(t.Context(),
		access.Access{User: access.User{Name: user, Groups: groups}, Verb: "list", Group: "example.com", Resource: "notes",
			Namespace: "default"})
	require.NoError(t, err)
	return d
}

func (s *server) may(t testing.TB, user string) bool {
	return s.decision(t, user).Allowed()
}

// Every decision sees all earlier writes of roles and bindings, of all clients and in any order.
func TestChangesCountAtOnce(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	s, replica := start(t, store), start(t, store)
	both := func(want bool, step string) {
		t.Helper()
		assert.Equal(t, want, s.may(t, "alice"), step)
		assert.Equal(t, want, replica.may(t, "alice"), step)
	}
	both(false, "at the beginning")
	s.must(t, "POST", bindings("default"), binding("b", "Role/r", "User/alice"))
	both(false, "a binding to a role that does not exist")
	replica.must(t, "POST", roles("default"), role("r", readNotes))
	both(true, "the role")
	s.must(t, "PATCH", roles("default")+"/r", `{"rules":[]}`)
	both(false, "no rules")
	s.must(t, "PATCH", roles("default")+"/r", `{"rules":[`+readNotes+`]}`)
	both(true, "rules again")
	s.must(t, "PATCH", bindings("default")+"/b", `{"subjects":[{"kind":"User","name":"bob"}]}`)
	both(false, "another subject")
	s.must(t, "PATCH", bindings("default")+"/b",
		`{"subjects":[{"kind":"User","name":"bob"},{"kind":"User","name":"alice"}]}`)
	both(true, "both subjects")
	s.must(t, "DELETE", roles("default")+"/r", "")
	both(false, "no role")
	s.must(t, "POST", roles("default"), role("r", readNotes))
	both(true, "a new role")
	replica.must(t, "DELETE", bindings("default")+"/b", "")
	both(false, "no binding")
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	s.must(t, "POST", bindings("default"), binding("c", "Role/r", "User/alice"))
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	both(true, "after the store has dropped the change, the index is read anew")
	restarted := start(t, store)
	assert.True(t, restarted.may(t, "alice"), "after a restart")
}

// The reason is that of Kubernetes.
func TestReasons(t *testing.T) {
	s := start(t, nil)
	s.must(t, "POST", clusterRoles, role("reader", readNotes))
	s.must(t, "POST", clusterRoleBindings, binding("c", "ClusterRole/reader", "User/alice"))
	s.must(t, "POST", bindings("default"), binding("b", "ClusterRole/reader", "ServiceAccount/team/robot"))
	s.must(t, "POST", bindings("default"), binding("g", "ClusterRole/reader", "Group/dev"))
	assert.Equal(t, `RBAC: allowed by ClusterRoleBinding "c" of ClusterRole "reader" to User "alice"`,
		s.decision(t, "alice").Reason())
	assert.Equal(t, `RBAC: allowed by RoleBinding "b/default" of ClusterRole "reader" to ServiceAccount "robot/team"`,
		s.decision(t, "system:serviceaccount:team:robot").Reason())
	assert.Equal(t, `RBAC: allowed by RoleBinding "g/default" of ClusterRole "reader" to Group "dev"`,
		s.decision(t, "x", "dev").Reason())
	assert.Equal(t, access.Decision{}, s.decision(t, "bob"))
}

// An aggregating role has the rules of the roles that it selects, through other aggregating roles too, and never rules
// of its own.
func TestAggregation(t *testing.T) {
	s := start(t, nil)
	labelled := func(name, label, rules string) string {
		return `{"metadata":{"name":"` + name + `","labels":{"` + label + `":"yes"}},"rules":[` + rules + `]}`
	}
	s.must(t, "POST", clusterRoles,
		`{"metadata":{"name":"sum","labels":{"loop":"yes"}},"rules":[`+allNotes+
			`],"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"part":"yes"}},{"matchLabels":{"loop":"yes"}}]}}`)
	s.must(t, "POST", clusterRoles,
		`{"metadata":{"name":"middle","labels":{"part":"yes"}},"rules":[],"aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"leaf","operator":"Exists"}]},{"matchLabels":{"loop":"yes"}}]}}`)
	s.must(t, "POST", clusterRoleBindings, binding("c", "ClusterRole/sum", "User/alice"))
	assert.False(t, s.may(t, "alice"))
	s.must(t, "POST", clusterRoles, labelled("leaf", "leaf", readNotes))
	assert.True(t, s.may(t, "alice"))
	s.must(t, "PATCH", clusterRoles+"/leaf", `{"metadata":{"labels":null}}`)
	assert.False(t, s.may(t, "alice"))
	s.must(t, "PATCH", clusterRoles+"/leaf", `{"metadata":{"labels":{"part":"yes"}}}`)
	assert.True(t, s.may(t, "alice"))
	s.must(t, "DELETE", clusterRoles+"/leaf", "")
	assert.False(t, s.may(t, "alice"))
	s.must(t, "PATCH", clusterRoles+"/sum", `{"aggregationRule":null}`)
	assert.True(t, s.may(t, "alice"), "its own rules count again")
}

// Users cannot grant rights that they do not have.
func TestEscalation(t *testing.T) {
	lacking := func(resource, name, rules string) string {
		return resource + `.rbac.authorization.k8s.io "` + name +
			`" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:` + "\n" + rules
	}
	const all = `{APIGroups:["example.com"], Resources:["notes"], Verbs:["*"]}`
	const writeNotes = `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["create","delete"],"resourceNames":["a"]}`
	for _, c := range []struct {
		name, extra              string // more rules for eve
		method, path, body, want string // the message, or empty for success
	}{
		{"a role within her rights", "", "POST", roles("default"), role("r", readNotes), ""},
		{"a role beyond", "", "POST", roles("default"), role("r", allNotes), lacking("roles", "r", all)},
		{"a role partly beyond", "", "POST", roles("default"), role("r", readNotes+","+writeNotes),
			lacking("roles", "r", `{APIGroups:["example.com"], Resources:["notes"], ResourceNames:["a"], Verbs:["create" "delete"]}`)},
		{"a narrower role", "", "POST", roles("default"),
			role("r", `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["get"],"resourceNames":["a"]}`), ""},
		{"with escalate", `,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"],"verbs":["escalate"]}`, "POST",
			roles("default"), role("r", allNotes), ""},
		{"an update", "", "PATCH", roles("default") + "/small", `{"rules":[` + allNotes + `]}`,
			lacking("roles", "small", all)},
		{"a PUT that creates", "", "PUT", roles("default") + "/r",
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"},"rules":[` + allNotes + `]}`,
			lacking("roles", "r", all)},
		{"a label on a role beyond her rights", "", "PATCH", clusterRoles + "/big", `{"metadata":{"labels":{"part":"yes"}}}`,
			lacking("clusterroles", "big", all)},
		{"a finalizer on such a role", "", "PATCH", clusterRoles + "/big", `{"metadata":{"finalizers":["example.com/x"]}}`,
			""},
		{"paths", "", "POST", clusterRoles, role("r", `{"nonResourceURLs":["/metrics"],"verbs":["get"]}`),
			lacking("clusterroles", "r", `{NonResourceURLs:["/metrics"], Verbs:["get"]}`)},
		{"paths that she has", "", "POST", clusterRoles, role("r", `{"nonResourceURLs":["/apis/x"],"verbs":["get"]}`), ""},
		{"aggregation", "", "POST", clusterRoles,
			`{"metadata":{"name":"r"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}`,
			`clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule`},

		{"a binding within her rights", "", "POST", bindings("default"), binding("b", "Role/small", "User/bob"), ""},
		{"a binding beyond", "", "POST", bindings("default"), binding("b", "ClusterRole/big", "User/bob"),
			lacking("rolebindings", "b", all)},
		{"a binding everywhere", "", "POST", clusterRoleBindings, binding("b", "ClusterRole/big", "User/bob"),
			lacking("clusterrolebindings", "b", all)},
		{"a binding to a role that does not exist", "", "POST", bindings("default"), binding("b", "Role/nowhere", "User/bob"),
			`rolebindings.rbac.authorization.k8s.io "nowhere" not found`},
		{"a binding to a cluster role that does not exist", "", "POST", bindings("default"),
			binding("b", "ClusterRole/nowhere", "User/bob"), `rolebindings.rbac.authorization.k8s.io "nowhere" not found`},
		{"a binding everywhere to a role that does not exist", "", "POST", clusterRoleBindings,
			binding("b", "ClusterRole/nowhere", "User/bob"),
			`clusterrolebindings.rbac.authorization.k8s.io "nowhere" not found`},
		{"with bind", `,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],"verbs":["bind"],"resourceNames":["big"]}`,
			"POST", bindings("default"), binding("b", "ClusterRole/big", "User/bob"), ""},
		{"with bind for another role",
			`,{"apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],"verbs":["bind"],"resourceNames":["other"]}`, "POST",
			bindings("default"), binding("b", "ClusterRole/big", "User/bob"), lacking("rolebindings", "b", all)},
		{"another subject of a binding beyond her rights", "", "PATCH", clusterRoleBindings + "/boss",
			`{"subjects":[{"kind":"User","name":"eve"}]}`, lacking("clusterrolebindings", "boss", all)},
		{"deletion needs no rights", "", "DELETE", clusterRoleBindings + "/boss", "", ""},
		{"a dry run", "", "POST", roles("default") + "?dryRun=All", role("r", allNotes), lacking("roles", "r", all)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, nil)
			s.must(t, "POST", clusterRoles, role("eve", editRoles+","+readNotes+c.extra))
			s.must(t, "POST", clusterRoles, role("big", allNotes))
			s.must(t, "POST", roles("default"), role("small", readNotes))
			s.must(t, "POST", clusterRoleBindings, binding("eve", "ClusterRole/eve", "User/eve"))
			s.must(t, "POST", clusterRoleBindings, binding("boss", "ClusterRole/big", "User/boss"))
			got := s.send(t, "eve", c.method, c.path, c.body)
			if c.want == "" {
				assert.Less(t, got.Code, 300, got.Body)
				return
			}
			assert.Equal(t, c.want, got.message(t))
		})
	}
}

// The host's own clients may write every role; a client that acts as a user may not.
func TestInProcessClientsAndEscalation(t *testing.T) {
	s := start(t, nil)
	rule := rbac.PolicyRule{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}
	r := &rbac.Role{Rules: []rbac.PolicyRule{rule}}
	r.Name = "r"
	client := resttest.Client[rbac.Role](t, s.api).Namespace("default")
	_, err := client.AsUser(access.User{Name: "eve"}).Create(t.Context(), r)
	assert.ErrorContains(t, err, `User "eve" cannot create resource "roles"`)
	_, err = client.Create(access.WithUser(t.Context(), access.User{Name: "eve"}), r)
	require.NoError(t, err)
}

func TestValidation(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct{ path, body, want string }{
		{roles("default"), role("r", `{"verbs":["get"]}`),
			`Role.rbac.authorization.k8s.io "r" is invalid: [rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource]`},
		{roles("default"), role("r", `{"apiGroups":[""],"resources":["x"],"verbs":[]}`),
			`Role.rbac.authorization.k8s.io "r" is invalid: rules[0].verbs: Required value`},
		{roles("default"), role("r", `{"nonResourceURLs":["/a"],"verbs":["get"]}`),
			`Role.rbac.authorization.k8s.io "r" is invalid: rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs`},
		{clusterRoles, role("r", `{"nonResourceURLs":["/a"],"resources":["x"],"verbs":["get"]}`),
			`ClusterRole.rbac.authorization.k8s.io "r" is invalid: rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs`},
		{clusterRoles, `{"metadata":{"name":"r"},"aggregationRule":{}}`,
			`ClusterRole.rbac.authorization.k8s.io "r" is invalid: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil`},
		{clusterRoles, `{"metadata":{"name":"r"},"aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"In"}]}]}}`,
			"ClusterRole.rbac.authorization.k8s.io \"r\" is invalid: [aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', " +
				"aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]"},
		{clusterRoleBindings, binding("b", "ClusterRole/cluster-admin", "User/"),
			`ClusterRoleBinding.rbac.authorization.k8s.io "b" is invalid: subjects[0].name: Required value`},
		{bindings("default"), binding("b", "Owner/r", "User/a"),
			`RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef.kind: Unsupported value: "Owner": supported values: "Role", "ClusterRole"`},
		{bindings("default"), binding("b", "Role/small", "Robot/a"),
			`RoleBinding.rbac.authorization.k8s.io "b" is invalid: subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"`},
		{clusterRoleBindings, binding("b", "Role/small", "User/a"),
			`ClusterRoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"`},
		{clusterRoleBindings, binding("b", "ClusterRole/cluster-admin", "ServiceAccount/a"),
			`ClusterRoleBinding.rbac.authorization.k8s.io "b" is invalid: subjects[0].namespace: Required value`},
	} {
		s.must(t, "PUT", roles("default")+"/small",
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"small"},"rules":[`+readNotes+`]}`)
		got := s.send(t, "root|admins", "POST", c.path, c.body)
		assert.Equal(t, 422, got.Code)
		assert.Equal(t, c.want, got.message(t))
	}
	s.must(t, "POST", bindings("default"), binding("b", "Role/small", "User/a"))
	assert.Contains(t, s.send(t, "root|admins", "GET", bindings("default")+"/b", "").Body,
		`"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"small"}`)
	assert.Contains(t, s.send(t, "root|admins", "PATCH", bindings("default")+"/b",
		`{"roleRef":{"name":"other"}}`).message(t), "roleRef: Invalid value:")
}

// kubectl auth can-i --list shows the rules of the user.
func TestRulesFor(t *testing.T) {
	s := start(t, nil)
	s.must(t, "POST", roles("default"), role("r", readNotes))
	s.must(t, "POST", bindings("default"), binding("b", "Role/r", "User/alice"))
	rules, err := s.roles.authorizer.(access.RuleLister).RulesFor(t.Context(), access.User{Name: "alice"}, "default")
	require.NoError(t, err)
	assert.Equal(t, access.AccessRules{Resources: []access.ResourceAccess{{Verbs: []access.Verb{"get", "list", "watch"},
		Groups: []string{"example.com"}, Resources: []string{"notes"}}}}, rules)
	rules, err = s.roles.authorizer.(access.RuleLister).RulesFor(t.Context(),
		access.User{Name: "root", Groups: []string{"admins"}}, "default")
	require.NoError(t, err)
	assert.Equal(t, access.AccessRules{Resources: []access.ResourceAccess{{Verbs: []access.Verb{"*"}, Groups: []string{"*"},
		Resources: []string{"*"}}}, Paths: []access.PathAccess{{Verbs: []access.Verb{"*"}, Paths: []string{"*"}}}}, rules)
	got := s.send(t, "alice", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
		`{"spec":{"namespace":"default"}}`)
	assert.Contains(t, got.Body, `{"apiGroups":["example.com"],"resources":["notes"],"verbs":["get","list","watch"]}`)
	assert.Contains(t, got.Body, `"/apis/*"`)
	assert.Contains(t, got.Body, `"incomplete":false`)
}
