package rbac

import (
	"context"
	"strings"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// definitions returns the kinds Role, ClusterRole, RoleBinding and ClusterRoleBinding.
func (z *authorizer) definitions() []rest.Definition {
	return []rest.Definition{
		rest.Resource[Role]{
			Group: Group, Version: "v1", Plural: "roles", Names: rest.Names{Rule: rest.NamePathSegment}, Wire: wire(),
			Description: "Role is a set of rights in its namespace.",
			Hooks: rest.Hooks[Role]{
				Prepare: z.prepareRole,
				Validate: func(_ context.Context, r, _ *Role) (status.FieldErrors, error) {
					return validateRules(r.Rules, true), nil
				},
			},
		},
		rest.Resource[ClusterRole]{
			Group: Group, Version: "v1", Plural: "clusterroles", Scope: rest.ScopeCluster,
			Names: rest.Names{Rule: rest.NamePathSegment}, Wire: wire(),
			Description: "ClusterRole is a set of rights that bindings give everywhere, or in a namespace.",
			Hooks: rest.Hooks[ClusterRole]{
				Prepare: z.prepareClusterRole,
				Validate: func(_ context.Context, r, _ *ClusterRole) (status.FieldErrors, error) {
					return validateClusterRole(r), nil
				},
			},
		},
		rest.Resource[RoleBinding]{
			Group: Group, Version: "v1", Plural: "rolebindings", Names: rest.Names{Rule: rest.NamePathSegment}, Wire: wire(),
			Overlay:     overlay(),
			Description: "RoleBinding gives subjects the rights of a role in its namespace.",
			Columns: columns(func(b *RoleBinding) (RoleRef, []Subject, time.Time) {
				return b.RoleRef, b.Subjects, b.CreationTimestamp.Time
			}),
			Hooks: rest.Hooks[RoleBinding]{
				Prepare: z.prepareRoleBinding,
				Validate: func(_ context.Context, b, old *RoleBinding) (status.FieldErrors, error) {
					errs := validateBinding(b.RoleRef, b.Subjects, true)
					if old != nil {
						errs = append(errs, validateSameRole(b.RoleRef, old.RoleRef)...)
					}
					return errs, nil
				},
			},
		},
		rest.Resource[ClusterRoleBinding]{
			Group: Group, Version: "v1", Plural: "clusterrolebindings", Scope: rest.ScopeCluster,
			Names: rest.Names{Rule: rest.NamePathSegment}, Wire: wire(), Overlay: overlay(),
			Description: "ClusterRoleBinding gives subjects the rights of a ClusterRole everywhere.",
			Columns: columns(func(b *ClusterRoleBinding) (RoleRef, []Subject, time.Time) {
				return b.RoleRef, b.Subjects, b.CreationTimestamp.Time
			}),
			Hooks: rest.Hooks[ClusterRoleBinding]{
				Prepare: z.prepareClusterRoleBinding,
				Validate: func(_ context.Context, b, old *ClusterRoleBinding) (status.FieldErrors, error) {
					errs := validateBinding(b.RoleRef, b.Subjects, false)
					if old != nil {
						errs = append(errs, validateSameRole(b.RoleRef, old.RoleRef)...)
					}
					return errs, nil
				},
			},
		},
	}
}

// wire makes a PUT create an object that does not exist, as in Kubernetes.
func wire() rest.Wire { return rest.Wire{Dialect: rest.DialectBuiltin, CreateOnUpdate: true} }

// overlay makes each reference atomic.
func overlay() map[string]string {
	return map[string]string{"RoleRef": "map=atomic", "Subject": "map=atomic"}
}

// setDefaults sets the API groups that a client may leave out. It runs in Prepare, because a Default hook cannot change
// the items of a list.
func setDefaults(ref *RoleRef, subjects []Subject) {
	if ref.APIGroup == "" {
		ref.APIGroup = Group
	}
	for i := range subjects {
		if s := &subjects[i]; s.APIGroup == "" && (s.Kind == UserKind || s.Kind == GroupKind) {
			s.APIGroup = Group
		}
	}
}

// columns returns the columns of bindings. of returns what they show.
func columns[T any](of func(*T) (RoleRef, []Subject, time.Time)) []rest.Column {
	column := func(name, description string, priority int32, cell func(b *T) any) rest.Column {
		return rest.ColumnFunc(rest.Column{Name: name, Description: description, Priority: priority}, cell)
	}
	subjects := func(kind string) func(*T) any {
		return func(b *T) any {
			var names []string
			_, all, _ := of(b)
			for _, s := range all {
				switch {
				case s.Kind != kind:
				case kind == ServiceAccountKind:
					names = append(names, s.Namespace+"/"+s.Name)
				default:
					names = append(names, s.Name)
				}
			}
			return strings.Join(names, ", ")
		}
	}
	return []rest.Column{
		column("Role", "The role whose rights the subjects get.", 0, func(b *T) any {
			ref, _, _ := of(b)
			return ref.Kind + "/" + ref.Name
		}),
		column("Age", "The time since the object was created.", 0, func(b *T) any {
			_, _, created := of(b)
			return created
		}),
		column("Users", "The users among the subjects.", 1, subjects(UserKind)),
		column("Groups", "The groups among the subjects.", 1, subjects(GroupKind)),
		column("ServiceAccounts", "The service accounts among the subjects.", 1, subjects(ServiceAccountKind)),
	}
}
