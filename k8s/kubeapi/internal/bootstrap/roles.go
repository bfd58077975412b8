package bootstrap

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/rbac"
)

//go:embed roles.txt
var rolesText string

// policy holds the roles of a cluster and their bindings.
type policy struct {
	clusterRoles        []rbac.ClusterRole
	clusterRoleBindings []rbac.ClusterRoleBinding
	roles               []rbac.Role
	roleBindings        []rbac.RoleBinding
}

// defaultPolicy is the policy in roles.txt, whose first lines describe the format.
var defaultPolicy = sync.OnceValues(func() (policy, error) {
	p := policy{clusterRoleBindings: []rbac.ClusterRoleBinding{{
		ObjectMeta: meta("cluster-admin"), RoleRef: roleRef("ClusterRole", "cluster-admin"),
		Subjects: []rbac.Subject{{Kind: rbac.GroupKind, APIGroup: rbac.Group, Name: "system:masters"}},
	}, {
		ObjectMeta: meta("system:node"), RoleRef: roleRef("ClusterRole", "system:node"), // nodes have an authorizer of their own, so it has no subjects
	}}}
	for text := range strings.SplitSeq(rolesText, "\n\n") {
		if strings.HasPrefix(text, "#") {
			continue
		}
		r, err := parseRole(text)
		if err != nil {
			return policy{}, err
		}
		p.add(r)
	}
	return p, nil
})

// role is one role of the text.
type role struct {
	namespace, name string
	partOf, has     []string
	subjects        []rbac.Subject
	rules           []rbac.PolicyRule
}

func parseRole(text string) (r role, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "role":
			r.namespace, r.name = splitName(words[1])
		case len(words) == 2 && words[0] == "is":
			r.partOf = append(r.partOf, words[1])
		case len(words) == 2 && words[0] == "has":
			r.has = append(r.has, words[1])
		case len(words) == 3 && words[0] == "for":
			r.subjects = append(r.subjects, subject(words[1], words[2]))
		case len(words) >= 4 && words[0] == "may":
			r.rules = append(r.rules, rule(words[1:]))
		default:
			return role{}, fmt.Errorf("roles.txt: cannot read the line %q", line)
		}
	}
	return r, nil
}

func splitName(s string) (namespace, name string) {
	if before, after, ok := strings.Cut(s, "/"); ok {
		return before, after
	}
	return "", s
}

func subject(kind, name string) rbac.Subject {
	if kind != rbac.ServiceAccountKind {
		return rbac.Subject{Kind: kind, APIGroup: rbac.Group, Name: name}
	}
	namespace, name := splitName(name)
	return rbac.Subject{Kind: kind, Namespace: namespace, Name: name}
}

func rule(words []string) rbac.PolicyRule {
	r := rbac.PolicyRule{Verbs: strings.Split(words[0], ",")}
	if words[1] == "paths" {
		r.NonResourceURLs = strings.Split(words[2], ",")
		return r
	}
	r.APIGroups = strings.Split(words[1], ",")
	for i, group := range r.APIGroups {
		if group == "core" {
			r.APIGroups[i] = ""
		}
	}
	r.Resources = strings.Split(words[2], ",")
	if len(words) > 3 {
		r.ResourceNames = strings.Split(words[3], ",")
	}
	return r
}

// meta returns the metadata that marks roles and bindings of kube-apiserver itself.
func meta(name string) apimeta.ObjectMeta {
	return apimeta.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"},
		Annotations: map[string]string{"rbac.authorization.kubernetes.io/autoupdate": "true"}}
}

func roleRef(kind, name string) rbac.RoleRef {
	return rbac.RoleRef{APIGroup: rbac.Group, Kind: kind, Name: name}
}

// add adds a role and, if it has subjects, its binding.
func (p *policy) add(r role) {
	m := meta(r.name)
	if r.namespace != "" {
		m.Namespace = r.namespace
		p.roles = append(p.roles, rbac.Role{ObjectMeta: m, Rules: r.rules})
		b := meta(r.name)
		if b.Namespace = r.namespace; !strings.HasPrefix(b.Name, "system:") {
			b.Name = "system::" + b.Name
		}
		p.roleBindings = append(p.roleBindings,
			rbac.RoleBinding{ObjectMeta: b, RoleRef: roleRef("Role", r.name), Subjects: r.subjects})
		return
	}
	const label = "rbac.authorization.k8s.io/aggregate-to-"
	c := rbac.ClusterRole{ObjectMeta: m, Rules: r.rules}
	for _, whole := range r.partOf {
		c.Labels[label+whole] = "true"
	}
	for _, whole := range r.has {
		if c.AggregationRule == nil {
			c.AggregationRule = new(rbac.AggregationRule)
		}
		c.AggregationRule.ClusterRoleSelectors = append(c.AggregationRule.ClusterRoleSelectors,
			apimeta.LabelSelector{MatchLabels: map[string]string{label + whole: "true"}})
	}
	p.clusterRoles = append(p.clusterRoles, c)
	if r.subjects != nil {
		p.clusterRoleBindings = append(p.clusterRoleBindings,
			rbac.ClusterRoleBinding{ObjectMeta: meta(r.name), RoleRef: roleRef("ClusterRole", r.name), Subjects: r.subjects})
	}
}
