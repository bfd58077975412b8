package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// The words of random roles, bindings and accesses. They are few, so that many accesses are allowed.
var (
	rbacVerbs      = []string{"get", "list", "create", "*", "bind"}
	rbacGroups     = []string{"", "example.com", "*"}
	rbacResources  = []string{"pods", "pods/log", "*/log", "*", "*/*", "nodes", "pods/*", "nodes/log"}
	rbacNames      = []string{"a", "b"}
	rbacPaths      = []string{"/a", "/a/*", "/a/b", "/a*", "*", "/**"}
	rbacNamespaces = []string{"red", "blue"}
	rbacUsers      = []string{"alice", "bob", "system:serviceaccount:red:robot", "system:serviceaccount:blue:robot"}
	rbacTeams      = []string{"dev", "ops", "alice"}
)

func oneOf[T any](r *rand.Rand, words []T) T { return words[r.Intn(len(words))] }

// someOf returns up to two of the words, and at least min.
func someOf(r *rand.Rand, min int, words []string) (some []string) {
	for range min + r.Intn(3-min) {
		some = append(some, oneOf(r, words))
	}
	return some
}

func randomPolicyRules(r *rand.Rand, namespaced bool) (rules []rbac.PolicyRule) {
	for range r.Intn(3) {
		rule := rbac.PolicyRule{Verbs: someOf(r, 1, rbacVerbs)}
		if !namespaced && r.Intn(4) == 0 {
			rule.NonResourceURLs = someOf(r, 1, rbacPaths)
		} else {
			rule.APIGroups, rule.Resources = someOf(r, 1, rbacGroups), someOf(r, 1, rbacResources)
			if r.Intn(3) == 0 {
				rule.ResourceNames = someOf(r, 1, rbacNames)
			}
		}
		rules = append(rules, rule)
	}
	return rules
}

func randomSubjects(r *rand.Rand, namespaced bool) (subjects []rbac.Subject) {
	for range 1 + r.Intn(2) {
		switch r.Intn(3) {
		case 0:
			subjects = append(subjects, rbac.Subject{Kind: rbac.UserKind, APIGroup: rbac.Group, Name: oneOf(r, rbacUsers)})
		case 1:
			subjects = append(subjects, rbac.Subject{Kind: rbac.GroupKind, APIGroup: rbac.Group, Name: oneOf(r, rbacTeams)})
		default:
			s := rbac.Subject{Kind: rbac.ServiceAccountKind, Name: "robot"}
			if !namespaced || r.Intn(2) == 0 {
				s.Namespace = oneOf(r, rbacNamespaces)
			}
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// policy is the state of an API with RBAC, as the reference sees it.
type policy struct {
	roles           map[string]*rbac.Role // the keys are a namespace and a name
	clusterRoles    map[string]*rbac.ClusterRole
	bindings        map[string]*rbac.RoleBinding
	clusterBindings map[string]*rbac.ClusterRoleBinding
}

// rulesOf is the reference for which rules apply to a user: it looks at every binding.
func (p *policy) rulesOf(u access.User, namespace string) (rules []rbac.PolicyRule) {
	applies := func(subjects []rbac.Subject, namespace string) bool {
		return slices.ContainsFunc(subjects, func(s rbac.Subject) bool {
			switch s.Kind {
			case rbac.UserKind:
				return s.Name == u.Name
			case rbac.GroupKind:
				return slices.Contains(u.Groups, s.Name)
			}
			return u.Name == fmt.Sprintf("system:serviceaccount:%s:%s", cmp.Or(s.Namespace, namespace), s.Name)
		})
	}
	clusterRole := func(name string) {
		if role := p.clusterRoles[name]; role != nil {
			rules = append(rules, role.Rules...)
		}
	}
	for _, b := range p.clusterBindings {
		if applies(b.Subjects, "") {
			clusterRole(b.RoleRef.Name)
		}
	}
	for _, b := range p.bindings {
		if b.Namespace != namespace || !applies(b.Subjects, namespace) {
			continue
		}
		if b.RoleRef.Kind == "ClusterRole" {
			clusterRole(b.RoleRef.Name)
		} else if role := p.roles[namespace+"/"+b.RoleRef.Name]; role != nil {
			rules = append(rules, role.Rules...)
		}
	}
	return rules
}

// upstreamRules returns rules as upstream's types, which have the same JSON.
func upstreamRules(t testing.TB, rules []rbac.PolicyRule) (out []rbacv1.PolicyRule) {
	t.Helper()
	data, err := json.Marshal(rules)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// asRule returns the rule that allows an access and nothing else.
func asRule(a access.Access) rbac.PolicyRule {
	if a.Path != "" {
		return rbac.PolicyRule{Verbs: []string{string(a.Verb)}, NonResourceURLs: []string{a.Path}}
	}
	r := rbac.PolicyRule{Verbs: []string{string(a.Verb)}, APIGroups: []string{a.Group}, Resources: []string{a.Resource}}
	if a.Subresource != "" {
		r.Resources[0] += "/" + a.Subresource
	}
	if a.Name != "" {
		r.ResourceNames = []string{a.Name}
	}
	return r
}

func randomAccess(r *rand.Rand) access.Access {
	u := access.User{Name: oneOf(r, rbacUsers), Groups: someOf(r, 0, rbacTeams)}
	if r.Intn(5) == 0 {
		return access.Access{User: u, Verb: oneOf(r, []access.Verb{access.VerbGet, access.VerbList}),
			Path: oneOf(r, []string{"/a", "/a/b", "/a/", "/b", "/ab"})}
	}
	return access.Access{User: u, Verb: oneOf(r, []access.Verb{access.VerbGet, access.VerbList, access.VerbCreate, "*"}),
		Group: oneOf(r, []string{"", "example.com"}), Resource: oneOf(r, []string{"pods", "nodes"}),
		Subresource: oneOf(r, []string{"", "", "log", "status"}), Name: oneOf(r, []string{"", "a", "b", "c"}),
		Namespace: oneOf(r, []string{"", "red", "blue"})}
}

// change makes a random change of a role or a binding, through a client of the host.
func (p *policy) change(t testing.TB, r *rand.Rand, api *rest.API) {
	name, namespace := oneOf(r, []string{"a", "b", "c"}), oneOf(r, rbacNamespaces)
	meta, key := apimeta.ObjectMeta{Name: name, Namespace: namespace}, namespace+"/"+name
	global := apimeta.ObjectMeta{Name: name}
	switch r.Intn(4) {
	case 0:
		replace(t, resttest.Client[rbac.Role](t, api).Namespace(namespace), p.roles, key, name, r.Intn(4) == 0,
			&rbac.Role{ObjectMeta: meta, Rules: randomPolicyRules(r, true)})
	case 1:
		replace(t, resttest.Client[rbac.ClusterRole](t, api), p.clusterRoles, name, name, r.Intn(4) == 0,
			&rbac.ClusterRole{ObjectMeta: global, Rules: randomPolicyRules(r, false)})
	case 2:
		ref := rbac.RoleRef{APIGroup: rbac.Group, Kind: oneOf(r, []string{"Role", "ClusterRole"}),
			Name: oneOf(r, []string{"a", "b", "c"})}
		b := &rbac.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: randomSubjects(r, true)}
		if old := p.bindings[key]; old != nil {
			b.RoleRef = old.RoleRef
		}
		replace(t, resttest.Client[rbac.RoleBinding](t, api).Namespace(namespace), p.bindings, key, name, r.Intn(4) == 0, b)
	default:
		b := &rbac.ClusterRoleBinding{ObjectMeta: global, RoleRef: rbac.RoleRef{APIGroup: rbac.Group, Kind: "ClusterRole",
			Name: oneOf(r, []string{"a", "b", "c"})}, Subjects: randomSubjects(r, false)}
		if old := p.clusterBindings[name]; old != nil {
			b.RoleRef = old.RoleRef
		}
		replace(t, resttest.Client[rbac.ClusterRoleBinding](t, api), p.clusterBindings, name, name, r.Intn(4) == 0, b)
	}
}

// replace creates, replaces or deletes an object in the API and in the reference.
func replace[T any](t testing.TB, client rest.Client[T], objects map[string]*T, key, name string, remove bool, obj *T) {
	t.Helper()
	_, exists := objects[key]
	var err error
	switch {
	case remove && exists:
		err = client.Delete(t.Context(), name, rest.DeleteOptions{})
		delete(objects, key)
	case remove:
		return
	case exists:
		_, err = client.Update(t.Context(), obj)
		objects[key] = obj
	default:
		_, err = client.Create(t.Context(), obj)
		objects[key] = obj
	}
	require.NoError(t, err)
}

// Package rbac decides as upstream's rule evaluation does, after any sequence of changes, and lets a user create a role
// if upstream finds that the rights of the user cover the role.
func TestRBAC(t *testing.T) {
	rounds(t, 30, func(t *testing.T, r round) { compareRBAC(t, r.Rand) })
}

func FuzzRBAC(f *testing.F) {
	for seed := range int64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed int64) { compareRBAC(t, rand.New(rand.NewSource(seed))) })
}

// observed gives the test the Authorizer of Roles.
type observed struct {
	*rbac.Roles
	authorizer access.Authorizer
}

func (o *observed) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := o.Roles.Plug(api)
	o.authorizer = parts.Authorizer
	return parts, err
}

func compareRBAC(t testing.TB, r *rand.Rand) {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	o := &observed{Roles: roles}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{o}})
	require.NoError(t, err)
	defer api.Close()
	require.NoError(t, api.Start(t.Context()))
	p := &policy{map[string]*rbac.Role{}, map[string]*rbac.ClusterRole{}, map[string]*rbac.RoleBinding{},
		map[string]*rbac.ClusterRoleBinding{}}
	for range 12 {
		for range 1 + r.Intn(4) {
			p.change(t, r, api)
		}
		for range 20 {
			a := randomAccess(r)
			rules := p.rulesOf(a.User, a.Namespace)
			want, _ := validation.Covers(upstreamRules(t, rules), upstreamRules(t, []rbac.PolicyRule{asRule(a)}))
			got, err := o.authorizer.Authorize(t.Context(), a)
			require.NoError(t, err)
			require.Equal(t, want, got.Allowed(), "%+v\n%+v\n%s", a, rules, got.Reason())
		}
		compareEscalation(t, r, api, p)
	}
}

// compareEscalation lets a user try to create a role with random rules.
func compareEscalation(t testing.TB, r *rand.Rand, api *rest.API, p *policy) {
	u, namespace := access.User{Name: oneOf(r, rbacUsers), Groups: someOf(r, 0, rbacTeams)}, oneOf(r, rbacNamespaces)
	owned := p.rulesOf(u, namespace)
	mayCreate, _ := validation.Covers(upstreamRules(t, owned),
		upstreamRules(t, []rbac.PolicyRule{asRule(access.Access{Verb: "create", Group: rbac.Group, Resource: "roles"})}))
	wanted := randomPolicyRules(r, true)
	covers, _ := validation.Covers(upstreamRules(t, owned), upstreamRules(t, wanted))
	mayEscalate, _ := validation.Covers(upstreamRules(t, owned),
		upstreamRules(t, []rbac.PolicyRule{asRule(access.Access{Verb: "escalate", Group: rbac.Group, Resource: "roles",
			Name: "new"})}))
	_, err := resttest.Client[rbac.Role](t, api).Namespace(namespace).AsUser(u).DryRun().Create(t.Context(),
		&rbac.Role{ObjectMeta: apimeta.ObjectMeta{Name: "new"}, Rules: wanted})
	assert.Equal(t, mayCreate && (covers || mayEscalate), err == nil, "%v\n%+v\n%+v\n%+v", err, u, owned, wanted)
	assert.True(t, err == nil || status.IsForbidden(err), "%v", err)
}
