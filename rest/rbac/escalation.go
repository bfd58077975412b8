package rbac

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

func (z *authorizer) prepareRole(ctx context.Context, r, old *Role) error {
	if old != nil && reflect.DeepEqual(Role{ObjectMeta: essential(r.ObjectMeta), Rules: r.Rules},
		Role{ObjectMeta: essential(old.ObjectMeta), Rules: old.Rules}) {
		return nil
	}
	return z.checkRole(ctx, "roles", &r.ObjectMeta, r.Rules)
}

func (z *authorizer) prepareClusterRole(ctx context.Context, r, old *ClusterRole) error {
	if old != nil && reflect.DeepEqual(ClusterRole{ObjectMeta: essential(r.ObjectMeta), Rules: r.Rules,
		AggregationRule: r.AggregationRule},
		ClusterRole{ObjectMeta: essential(old.ObjectMeta), Rules: old.Rules, AggregationRule: old.AggregationRule}) {
		return nil
	}
	if err := z.checkRole(ctx, "clusterroles", &r.ObjectMeta, r.Rules); err != nil {
		return err
	}
	if r.AggregationRule == nil && (old == nil || old.AggregationRule == nil) {
		return nil
	}
	if may, err := mayDo(ctx, "escalate", "clusterroles", &r.ObjectMeta); may || err != nil {
		return err
	}
	if err := z.checkGrant(ctx, "clusterroles", &r.ObjectMeta, everything()); err != nil {
		return status.Forbidden(resource("clusterroles"), r.Name,
			"must have cluster-admin privileges to use the aggregationRule")
	}
	return nil
}

// essential returns the metadata whose change needs rights. Finalizers and owners concern only the deletion of an
// object. Labels count, because they decide which roles another one aggregates.
func essential(m apimeta.ObjectMeta) apimeta.ObjectMeta {
	m.Finalizers, m.OwnerReferences, m.ManagedFields, m.ResourceVersion, m.Generation = nil, nil, nil, "", 0
	return m
}

func (z *authorizer) prepareRoleBinding(ctx context.Context, b, old *RoleBinding) error {
	setDefaults(&b.RoleRef, b.Subjects)
	if old != nil && reflect.DeepEqual(RoleBinding{ObjectMeta: essential(b.ObjectMeta), Subjects: b.Subjects,
		RoleRef: b.RoleRef},
		RoleBinding{ObjectMeta: essential(old.ObjectMeta), Subjects: old.Subjects, RoleRef: old.RoleRef}) {
		return nil
	}
	return z.checkBinding(ctx, "rolebindings", &b.ObjectMeta, b.RoleRef)
}

func (z *authorizer) prepareClusterRoleBinding(ctx context.Context, b, old *ClusterRoleBinding) error {
	setDefaults(&b.RoleRef, b.Subjects)
	if old != nil && reflect.DeepEqual(ClusterRoleBinding{ObjectMeta: essential(b.ObjectMeta), Subjects: b.Subjects,
		RoleRef: b.RoleRef},
		ClusterRoleBinding{ObjectMeta: essential(old.ObjectMeta), Subjects: old.Subjects, RoleRef: old.RoleRef}) {
		return nil
	}
	return z.checkBinding(ctx, "clusterrolebindings", &b.ObjectMeta, b.RoleRef)
}

// checkRole returns an error unless the user may write a role with these rules.
func (z *authorizer) checkRole(ctx context.Context, plural string, meta *apimeta.ObjectMeta, rules []PolicyRule) error {
	if may, err := mayDo(ctx, "escalate", plural, meta); may || err != nil {
		return err
	}
	return z.checkGrant(ctx, plural, meta, rules)
}

// checkBinding returns an error unless the user may give the rights of a role.
func (z *authorizer) checkBinding(ctx context.Context, plural string, meta *apimeta.ObjectMeta, ref RoleRef) error {
	of, key := "clusterroles", roleKey{name: ref.Name}
	switch ref.Kind {
	case "Role":
		of, key.namespace = "roles", meta.Namespace
	case "ClusterRole":
	default:
		return nil // validation refuses it
	}
	if may, err := mayDo(ctx, "bind", of, &apimeta.ObjectMeta{Name: ref.Name, Namespace: meta.Namespace}); may ||
		err != nil {
		return err
	}
	index, err := z.mirror.Acquire(ctx)
	if err != nil {
		return err
	}
	var rules []PolicyRule
	r := index.roles[key]
	exists := r != nil && r.exists
	if exists {
		rules = r.rules
	}
	z.mirror.Release()
	if !exists {
		return status.NotFound(resource(plural), ref.Name) // Kubernetes names the resource of the request, and not that of the role
	}
	return z.checkGrant(ctx, plural, meta, rules)
}

// mayDo reports whether the user has a verb on a role. For calls of the host itself it always does.
func mayDo(ctx context.Context, verb access.Verb, plural string, meta *apimeta.ObjectMeta) (bool, error) {
	d, err := access.Authorize(ctx,
		access.Access{Verb: verb, Group: Group, Version: all, Resource: plural, Namespace: meta.Namespace, Name: meta.Name})
	if d.Allowed() {
		err = nil
	}
	return d.Allowed(), err
}

func resource(plural string) apimeta.GroupResource {
	return apimeta.GroupResource{Group: Group, Resource: plural}
}

// checkGrant returns an error that names the rights that a write would give and the user does not have.
func (z *authorizer) checkGrant(ctx context.Context, plural string, meta *apimeta.ObjectMeta,
	rules []PolicyRule) error {
	u := access.UserFrom(ctx)
	owned, err := z.rulesOf(ctx, u, meta.Namespace)
	if err != nil {
		return err
	}
	lacking := missing(owned, rules)
	if len(lacking) == 0 {
		return nil
	}
	return status.Forbidden(resource(plural), meta.Name,
		fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s", u.Name, u.Groups,
			describe(lacking)))
}

// describe lists rules, one a line. It joins the verbs of rules that are otherwise the same.
func describe(atoms []PolicyRule) string {
	var joined []PolicyRule
	for _, atom := range atoms {
		same := func(r PolicyRule) bool {
			return len(atom.Resources) > 0 && slices.Equal(r.APIGroups, atom.APIGroups) &&
				slices.Equal(r.Resources, atom.Resources) && slices.Equal(r.ResourceNames, atom.ResourceNames)
		}
		if i := slices.IndexFunc(joined, same); i < 0 {
			joined = append(joined, atom)
		} else if !slices.Contains(joined[i].Verbs, atom.Verbs[0]) {
			joined[i].Verbs = append(joined[i].Verbs, atom.Verbs[0])
		}
	}
	var lines []string
	for _, r := range joined {
		lines = append(lines, r.describe())
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

func (r *PolicyRule) describe() string {
	var parts []string
	for _, part := range []struct {
		name string
		list []string
	}{{"APIGroups", r.APIGroups}, {"Resources", r.Resources}, {"NonResourceURLs", r.NonResourceURLs},
		{"ResourceNames", r.ResourceNames}, {"Verbs", r.Verbs}} {
		if len(part.list) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.list))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
