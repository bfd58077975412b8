package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/mirror"
	"github.com/decorum-go/decorum/rest/raw"
)

// Options configure the plug-in [Roles]. Administrators are required.
type Options struct {
	// Administrators are groups whose members may do everything, independently of the roles. At least one group is
	// required, because otherwise no user could grant the first rights.
	Administrators []string
}

// Roles is the plug-in of the roles and bindings of one API. It adds their kinds, and an Authorizer that decides by
// them and never denies an access, so another authorizer can allow what the roles do not. It needs no start to decide;
// [rest.API.Start] creates the system roles of Kubernetes that do not exist.
//
// Roles have one goroutine, from the first watch, stream or impersonation until the API ends. When a role or a binding
// changes, the goroutine ends the watches and streams of users who have lost rights, see [rest.API.RightsChanged].
type Roles struct{ administrators []string }

// New returns Roles. It returns an error if options name no administrators.
func New(options Options) (*Roles, error) {
	if len(options.Administrators) == 0 || slices.Contains(options.Administrators, "") {
		return nil, errors.New("rbac.New: Options.Administrators must name at least one group, or nobody can give rights to anybody")
	}
	return &Roles{administrators: slices.Clone(options.Administrators)}, nil
}

// Plug implements [rest.Plugin].
func (r *Roles) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	z := &authorizer{administrators: r.administrators, api: api.API, objects: api.Objects()}
	z.mirror = mirror.New(z.objects, resources(), newIndex)
	return rest.PluginParts{
		Name: "roles", Definitions: z.definitions(), Authorizer: z, ExemptGroups: slices.Clone(z.administrators),
		Start: func(ctx context.Context, _ *rest.API) error { return z.start(ctx) },
	}, nil
}

// authorizer decides by the roles and bindings of an API.
type authorizer struct {
	administrators []string
	api            *rest.API
	objects        raw.Objects
	following      sync.Once
	mirror         *mirror.Mirror[*index]
}

// start creates the system roles that do not exist, and reads all roles and bindings.
func (z *authorizer) start(ctx context.Context) error {
	if err := createSystemRoles(ctx, z.api); err != nil {
		return fmt.Errorf("the system roles: %w", err)
	}
	_, err := z.mirror.Acquire(ctx)
	if err == nil {
		z.mirror.Release()
	}
	return err
}

// Authorize implements [access.Authorizer]. It never denies an access.
func (z *authorizer) Authorize(ctx context.Context, a access.Access) (access.Decision, error) {
	if mayStay(&a) {
		z.following.Do(func() { go z.follow() })
	}
	if group := z.administrates(a.User); group != "" {
		return access.Allow("a member of the administrators"), nil
	}
	index, err := z.mirror.Acquire(ctx)
	if err != nil {
		return access.Decision{}, err
	}
	defer z.mirror.Release()
	var found *grant
	index.grants(&a.User, a.Namespace, func(g *grant) bool {
		for i := range g.role.rules {
			if g.role.rules[i].allows(&a) {
				found = g
				return false
			}
		}
		return true
	})
	if found != nil {
		return access.Allow(found.reason), nil
	}
	return access.NoOpinion(index.unresolved(a.User, a.Namespace)), nil
}

// mayStay reports whether the access may be one of a watch or a stream, which ends when a right is lost that it depends
// on. Impersonation counts, because the right to act as an administrator depends on the roles, and another authorizer
// may decide about the watch itself.
func mayStay(a *access.Access) bool {
	return a.Verb == "watch" || a.Verb == "impersonate" || a.Subresource != ""
}

// unresolved names the roles that bindings of the user refer to, and that do not exist.
func (x *index) unresolved(u access.User, namespace string) string {
	var missing []string
	x.grants(&u, namespace, func(g *grant) bool {
		if text := g.ref.notFound(); !g.role.exists && !slices.Contains(missing, text) {
			missing = append(missing, text)
		}
		return true
	})
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return "RBAC: " + missing[0]
	}
	return "RBAC: [" + strings.Join(missing, ", ") + "]"
}

func (k roleKey) notFound() string {
	kind := "clusterrole"
	if k.namespace != "" {
		kind = "role"
	}
	return fmt.Sprintf("%s.%s %q not found", kind, Group, k.name)
}

// administrates returns a group of the user whose members are administrators, or "".
func (z *authorizer) administrates(u access.User) string {
	for _, group := range u.Groups {
		if slices.Contains(z.administrators, group) {
			return group
		}
	}
	return ""
}

// rulesOf returns the rules of a user in a namespace, or everywhere if namespace is empty.
func (z *authorizer) rulesOf(ctx context.Context, u access.User, namespace string) (rules []PolicyRule, err error) {
	if z.administrates(u) != "" {
		rules = everything()
	}
	index, err := z.mirror.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer z.mirror.Release()
	index.grants(&u, namespace, func(g *grant) bool {
		rules = append(rules, g.role.rules...)
		return true
	})
	return rules, nil
}

// RulesFor implements [access.RuleLister].
func (z *authorizer) RulesFor(ctx context.Context, u access.User, namespace string) (out access.AccessRules, err error) {
	rules, err := z.rulesOf(ctx, u, namespace)
	for _, r := range rules {
		verbs := make([]access.Verb, len(r.Verbs))
		for i, v := range r.Verbs {
			verbs[i] = access.Verb(v)
		}
		if len(r.Resources) > 0 {
			out.Resources = append(out.Resources,
				access.ResourceAccess{Verbs: verbs, Groups: r.APIGroups, Resources: r.Resources, Names: r.ResourceNames})
		}
		if len(r.NonResourceURLs) > 0 {
			out.Paths = append(out.Paths, access.PathAccess{Verbs: verbs, Paths: r.NonResourceURLs})
		}
	}
	return out, err
}
