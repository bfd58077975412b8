package rbac

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/storage"
)

// index finds the rules of a user. Its owner guards it with a lock.
type index struct {
	roles      map[roleKey]*role
	bindings   map[storage.Key]binding
	everywhere *holders
	namespaces map[string]*holders
}

// roleKey names a Role or, if the namespace is empty, a ClusterRole.
type roleKey struct{ namespace, name string }

// role is what bindings refer to. It stays in the index while a binding refers to it, even if it does not exist.
type role struct {
	exists     bool
	references int
	rules      []PolicyRule // the rules that count
	own        []PolicyRule // the rules in the object
	labels     apimeta.Labels
	selectors  []apimeta.LabelMatcher
	aggregates bool
}

// holders are the subjects of bindings in one namespace, or of all ClusterRoleBindings.
type holders struct {
	users  map[string][]grant
	groups map[string][]grant
}

// grant gives a subject the rights of a role.
type grant struct {
	by     storage.Key
	role   *role
	ref    roleKey
	reason string
}

// binding is an indexed binding.
type binding struct {
	subjects []Subject
	role     roleKey
	kind     string
}

func newIndex() *index {
	return &index{roles: map[roleKey]*role{}, bindings: map[storage.Key]binding{}, everywhere: newHolders(),
		namespaces: map[string]*holders{}}
}

func newHolders() *holders {
	return &holders{users: map[string][]grant{}, groups: map[string][]grant{}}
}

// The names of the resources in the store.
const (
	rolesResource               = "roles." + Group
	clusterRolesResource        = "clusterroles." + Group
	roleBindingsResource        = "rolebindings." + Group
	clusterRoleBindingsResource = "clusterrolebindings." + Group
)

// resources are the resources that the index follows.
func resources() []string {
	return []string{rolesResource, clusterRolesResource, roleBindingsResource, clusterRoleBindingsResource}
}

// Put adds or replaces the object of a key. If record is nil, it removes the object. An object that cannot be decoded
// gives no rights.
func (x *index) Put(ctx context.Context, key storage.Key, record *storage.Record) error {
	var text []byte
	if record != nil {
		var err error
		if text, err = record.JSON(ctx); err != nil {
			return err
		}
	}
	switch key.Resource {
	case rolesResource, clusterRolesResource:
		var object ClusterRole // a Role has the same fields
		x.putRole(key, decode(text, &object), &object)
	default:
		var object RoleBinding // a ClusterRoleBinding has the same fields
		x.removeBinding(key)
		if decode(text, &object) {
			x.addBinding(key, &object)
		}
	}
	return nil
}

// decode decodes the text of an object, and reports whether it succeeds. A deleted object has no text.
func decode(text []byte, into any) (exists bool) {
	return text != nil && json.Unmarshal(text, into) == nil
}

func (x *index) putRole(key storage.Key, exists bool, object *ClusterRole) {
	r := x.role(roleKey{key.Namespace, key.Name})
	*r = role{references: r.references, exists: exists, own: object.Rules, rules: object.Rules,
		labels: apimeta.LabelsOf(object.Labels)}
	if a := object.AggregationRule; a != nil {
		r.aggregates, r.rules = true, nil
		for _, s := range a.ClusterRoleSelectors {
			if selector, err := s.Matcher(); err == nil {
				r.selectors = append(r.selectors, selector)
			}
		}
	}
	x.forget(roleKey{key.Namespace, key.Name}, r)
	if key.Resource == clusterRolesResource {
		x.aggregate()
	}
}

// role returns the role of a key, and creates one that does not exist yet.
func (x *index) role(key roleKey) *role {
	r := x.roles[key]
	if r == nil {
		r = &role{}
		x.roles[key] = r
	}
	return r
}

// forget drops a role that neither exists nor is referred to.
func (x *index) forget(key roleKey, r *role) {
	if !r.exists && r.references == 0 {
		delete(x.roles, key)
	}
}

// aggregate computes the rules of the roles with an aggregationRule.
func (x *index) aggregate() {
	names := slices.SortedFunc(maps.Keys(x.roles), func(a, b roleKey) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	for _, r := range x.roles {
		if r.aggregates {
			r.rules = x.collect(r, names, map[*role]bool{}, nil)
		}
	}
}

// collect appends the rules that an aggregating role gets from other roles, each once. An aggregating role among them
// passes on what it gets itself.
func (x *index) collect(r *role, names []roleKey, seen map[*role]bool, rules []PolicyRule) []PolicyRule {
	seen[r] = true
	for _, key := range names {
		other := x.roles[key]
		if key.namespace != "" || !other.exists || seen[other] ||
			!slices.ContainsFunc(r.selectors, func(s apimeta.LabelMatcher) bool { return s.Matches(other.labels) }) {
			continue
		}
		if other.aggregates {
			rules = x.collect(other, names, seen, rules)
			continue
		}
		for _, rule := range other.own {
			if !slices.ContainsFunc(rules, func(r PolicyRule) bool { return reflect.DeepEqual(r, rule) }) {
				rules = append(rules, rule)
			}
		}
	}
	return rules
}

// holders returns the subjects of the bindings beside which a binding belongs.
func (x *index) holders(key storage.Key) *holders {
	if key.Resource == clusterRoleBindingsResource {
		return x.everywhere
	}
	h := x.namespaces[key.Namespace]
	if h == nil {
		h = newHolders()
		x.namespaces[key.Namespace] = h
	}
	return h
}

func (x *index) addBinding(key storage.Key, object *RoleBinding) {
	b := binding{subjects: object.Subjects, role: roleKey{name: object.RoleRef.Name}, kind: object.RoleRef.Kind}
	switch b.kind {
	case "Role":
		b.role.namespace = key.Namespace
		if key.Namespace == "" {
			return // validation refuses such a binding
		}
	case "ClusterRole":
	default:
		return
	}
	r := x.role(b.role)
	r.references++
	x.bindings[key] = b
	h := x.holders(key)
	for _, s := range b.subjects {
		if list, name := h.list(s, key.Namespace); list != nil &&
			!slices.ContainsFunc(list[name], func(g grant) bool { return g.by == key }) {
			list[name] = append(list[name], grant{by: key, role: r, ref: b.role, reason: reason(key, b, s)})
		}
	}
}

// list returns the list that holds the grants of a subject, and the key of the subject in it. A service account acts as
// a user, so its grants are among the grants of users. The list is nil if no user can match the subject.
func (h *holders) list(s Subject, namespace string) (list map[string][]grant, name string) {
	switch s.Kind {
	case UserKind:
		return h.users, s.Name
	case GroupKind:
		return h.groups, s.Name
	case ServiceAccountKind:
		if namespace = cmp.Or(s.Namespace, namespace); namespace != "" {
			return h.users, identity.ServiceAccountUser(namespace, s.Name)
		}
	}
	return nil, ""
}

func (x *index) removeBinding(key storage.Key) {
	b, ok := x.bindings[key]
	if !ok {
		return
	}
	delete(x.bindings, key)
	h := x.holders(key)
	for _, s := range b.subjects {
		list, name := h.list(s, key.Namespace)
		if list == nil {
			continue
		}
		if list[name] = slices.DeleteFunc(list[name], func(g grant) bool { return g.by == key }); len(list[name]) == 0 {
			delete(list, name)
		}
	}
	if h != x.everywhere && len(h.users)+len(h.groups) == 0 {
		delete(x.namespaces, key.Namespace)
	}
	r := x.roles[b.role]
	r.references--
	x.forget(b.role, r)
}

// reason explains why a binding allows an access, in the words of Kubernetes.
func reason(key storage.Key, b binding, s Subject) string {
	kind, name, subject := "ClusterRoleBinding", key.Name, s.Name
	if key.Namespace != "" {
		kind, name = "RoleBinding", key.Name+"/"+key.Namespace
	}
	if s.Kind == ServiceAccountKind {
		subject += "/" + cmp.Or(s.Namespace, key.Namespace)
	}
	return fmt.Sprintf("RBAC: allowed by %s %q of %s %q to %s %q", kind, name, b.kind, b.role.name, s.Kind, subject)
}

// grants calls see with each grant of a user in a namespace, or everywhere if namespace is empty, until see returns
// false.
func (x *index) grants(u *access.User, namespace string, see func(g *grant) bool) {
	if !x.everywhere.of(u, see) || namespace == "" {
		return
	}
	if h := x.namespaces[namespace]; h != nil {
		h.of(u, see)
	}
}

// of calls see with the grants of a user, and returns false if see did.
func (h *holders) of(u *access.User, see func(g *grant) bool) bool {
	if !each(h.users[u.Name], see) {
		return false
	}
	for _, group := range u.Groups {
		if !each(h.groups[group], see) {
			return false
		}
	}
	return true
}

func each(grants []grant, see func(g *grant) bool) bool {
	for i := range grants {
		if !see(&grants[i]) {
			return false
		}
	}
	return true
}
