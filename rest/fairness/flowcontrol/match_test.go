package flowcontrol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
)

func TestMatches(t *testing.T) {
	jane := access.User{Name: "jane", Groups: []string{"people"}}
	robot := access.User{Name: "system:serviceaccount:team:robot"}
	list := access.Access{User: jane, Verb: "list", Group: "example.com", Resource: "widgets", Namespace: "default"}
	with := func(a access.Access, change func(a *access.Access)) access.Access { change(&a); return a }
	cluster := with(list, func(a *access.Access) { a.Namespace = "" })
	status := with(list, func(a *access.Access) { a.Subresource = "status" })
	page := access.Access{User: jane, Verb: "get", Path: "/livez/ping"}

	user := func(name string) flowcontrol.Subject {
		return flowcontrol.Subject{Kind: "User", User: &flowcontrol.UserSubject{Name: name}}
	}
	members := func(name string) flowcontrol.Subject {
		return flowcontrol.Subject{Kind: "Group", Group: &flowcontrol.GroupSubject{Name: name}}
	}
	account := func(namespace, name string) flowcontrol.Subject {
		return flowcontrol.Subject{Kind: "ServiceAccount",
			ServiceAccount: &flowcontrol.ServiceAccountSubject{Namespace: namespace, Name: name}}
	}
	all := []string{"*"}
	rule := func(change func(r *flowcontrol.ResourcePolicyRule)) flowcontrol.PolicyRulesWithSubjects {
		r := flowcontrol.ResourcePolicyRule{Verbs: all, APIGroups: all, Resources: all, Namespaces: all}
		change(&r)
		return flowcontrol.PolicyRulesWithSubjects{Subjects: []flowcontrol.Subject{user("*")},
			ResourceRules: []flowcontrol.ResourcePolicyRule{r}}
	}
	of := func(s ...flowcontrol.Subject) flowcontrol.PolicyRulesWithSubjects {
		r := rule(func(*flowcontrol.ResourcePolicyRule) {})
		r.Subjects = s
		return r
	}
	paths := func(urls ...string) flowcontrol.PolicyRulesWithSubjects {
		return flowcontrol.PolicyRulesWithSubjects{Subjects: []flowcontrol.Subject{user("*")},
			NonResourceRules: []flowcontrol.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: urls}}}
	}
	for _, c := range []struct {
		name   string
		rule   flowcontrol.PolicyRulesWithSubjects
		access access.Access
		want   bool
	}{
		{"all users", of(user("*")), list, true},
		{"the user", of(user("jane")), list, true},
		{"another user", of(user("joe")), list, false},
		{"one of the subjects", of(user("joe"), members("people")), list, true},
		{"the group", of(members("people")), list, true},
		{"another group", of(members("robots")), list, false},
		{"all groups", of(members("*")), list, true},
		{"the account", of(account("team", "robot")), with(list, func(a *access.Access) { a.User = robot }), true},
		{"all accounts", of(account("team", "*")), with(list, func(a *access.Access) { a.User = robot }), true},
		{"another namespace", of(account("tea", "*")), with(list, func(a *access.Access) { a.User = robot }), false},
		{"no account", of(account("team", "*")), list, false},
		{"the verb", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Verbs = []string{"get", "list"} }), list, true},
		{"another verb", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Verbs = []string{"get"} }), list, false},
		{"the group of the resource", rule(func(r *flowcontrol.ResourcePolicyRule) { r.APIGroups = []string{"example.com"} }),
			list, true},
		{"another API group", rule(func(r *flowcontrol.ResourcePolicyRule) { r.APIGroups = []string{""} }), list, false},
		{"the resource", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Resources = []string{"widgets"} }), list, true},
		{"not its subresource", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Resources = []string{"widgets"} }), status,
			false},
		{"the subresource", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Resources = []string{"widgets/status"} }),
			status, true},
		{"all subresources", rule(func(*flowcontrol.ResourcePolicyRule) {}), status, true},
		{"the namespace", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Namespaces = []string{"default"} }), list, true},
		{"a further namespace", rule(func(r *flowcontrol.ResourcePolicyRule) { r.Namespaces = []string{"other"} }), list,
			false},
		{"no namespace", rule(func(*flowcontrol.ResourcePolicyRule) {}), cluster, false},
		{"cluster scope", rule(func(r *flowcontrol.ResourcePolicyRule) { r.ClusterScope = true }), cluster, true},
		{"a resource, and paths", paths("*"), list, false},
		{"all paths", paths("*"), page, true},
		{"the path", paths("/livez/ping"), page, true},
		{"below a path", paths("/livez"), page, true},
		{"below a path with a star", paths("/livez/*"), page, true},
		{"another path", paths("/live"), page, false},
		{"another verb on a path", paths("*"), with(page, func(a *access.Access) { a.Verb = "post" }), false},
		{"a path, and resources", of(user("*")), page, false},
	} {
		s := flowcontrol.FlowSchema{Spec: flowcontrol.FlowSchemaSpec{Rules: []flowcontrol.PolicyRulesWithSubjects{{},
			c.rule}}}
		assert.Equal(t, c.want, s.Matches(&c.access), c.name)
	}
}

func TestMandatoryObjectsAreValid(t *testing.T) {
	for _, s := range flowcontrol.MandatoryFlowSchemas() {
		assert.Empty(t, s.Validate(), s.Name)
	}
	for _, l := range flowcontrol.MandatoryPriorityLevelConfigurations() {
		assert.Empty(t, l.Validate(), l.Name)
	}
}
