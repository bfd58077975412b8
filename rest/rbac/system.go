package rbac

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/status"
)

// everything returns the rules that allow everything.
func everything() []PolicyRule {
	return []PolicyRule{
		{Verbs: []string{all}, APIGroups: []string{all}, Resources: []string{all}},
		{Verbs: []string{all}, NonResourceURLs: []string{all}},
	}
}

// createSystemRoles creates the roles that exist from the start, as in Kubernetes, and their bindings. It does not
// change those that exist already.
func createSystemRoles(ctx context.Context, api *rest.API) error {
	roles, err := rest.ClientForType[ClusterRole](api)
	if err != nil {
		return err
	}
	bindings, err := rest.ClientForType[ClusterRoleBinding](api)
	if err != nil {
		return err
	}
	health := []string{"/healthz", "/livez", "/readyz", "/version", "/version/"}
	discovery := append([]string{"/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"}, health...)
	for _, r := range []struct {
		name   string
		rules  []PolicyRule
		groups []string
	}{
		{"cluster-admin", everything(), nil},
		{"system:discovery", []PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: discovery}},
			[]string{identity.AuthenticatedGroup}},
		{"system:public-info-viewer", []PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: health}},
			[]string{identity.AuthenticatedGroup, identity.UnauthenticatedGroup}},
		{"system:basic-user", []PolicyRule{
			{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io"},
				Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"}},
			{Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"}},
		}, []string{identity.AuthenticatedGroup}},
	} {
		meta := apimeta.ObjectMeta{Name: r.name, Labels: map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"}}
		if err := ensure(ctx, roles, r.name, &ClusterRole{ObjectMeta: meta, Rules: r.rules}); err != nil {
			return err
		}
		if r.groups == nil {
			continue
		}
		b := &ClusterRoleBinding{ObjectMeta: meta, RoleRef: RoleRef{APIGroup: Group, Kind: "ClusterRole", Name: r.name}}
		for _, group := range r.groups {
			b.Subjects = append(b.Subjects, Subject{Kind: GroupKind, APIGroup: Group, Name: group})
		}
		if err := ensure(ctx, bindings, r.name, b); err != nil {
			return err
		}
	}
	return nil
}

// ensure creates an object unless it exists.
func ensure[T any](ctx context.Context, client rest.Client[T], name string, obj *T) error {
	if _, err := client.Get(ctx, name); !status.IsNotFound(err) {
		return err
	}
	if _, err := client.Create(ctx, obj); !status.IsAlreadyExists(err) { // another replica may be faster
		return err
	}
	return nil
}
