package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/mirror"
)

// Options configure an [Authorizer].
type Options struct {
	// Administrators are groups whose members may do everything, independently of the roles. At least one group is required, because
	// otherwise no user could grant the first rights.
	Administrators []string
}

// Authorizer is a [rest.Authorizer] that decides by the roles and bindings of the API. It belongs to one API, which must serve its
// [Authorizer.Definitions]. It has one goroutine, from the first watch, stream or impersonation until the API ends. When a role or a binding changes, the
// goroutine ends the watches and streams of users who have lost rights, see [rest.API.RightsChanged].
type Authorizer struct {
	administrators []string
	api            *rest.API
	objects        rest.Objects
	following      sync.Once
	mirror         *mirror.Mirror[*index] // nil until Start
}

// New returns an Authorizer. It returns an error if options name no administrators.
func New(options Options) (*Authorizer, error) {
	if len(options.Administrators) == 0 || slices.Contains(options.Administrators, "") {
		return nil, errors.New("rbac.New: Options.Administrators must name at least one group, or nobody can give rights to anybody")
	}
	return &Authorizer{administrators: slices.Clone(options.Administrators)}, nil
}

// Start reads the roles and bindings of the API, and creates the system roles that do not exist. [rest.New] calls it.
func (z *Authorizer) Start(api *rest.API) error {
	if z.mirror != nil {
		return errors.New("rbac: an Authorizer belongs to one API")
	}
	z.api, z.objects = api, rest.ObjectsOf(api)
	if err := createSystemRoles(api); err != nil {
		return fmt.Errorf("rbac: the system roles: %w", err)
	}
	z.mirror = mirror.New(z.objects, resources(), newIndex)
	_, err := z.rights(context.Background())
	if err == nil {
		z.mirror.Release()
	}
	return err
}

// errNotStarted is the error of an Authorizer that is used without an API.
var errNotStarted = errors.New("rbac: the Authorizer is not the one of an API")

// rights returns the present roles and bindings. The caller releases the mirror unless there is an error.
func (z *Authorizer) rights(ctx context.Context) (*index, error) {
	if z.mirror == nil {
		return nil, errNotStarted
	}
	return z.mirror.Acquire(ctx)
}

// Authorize implements [rest.Authorizer]. It never denies an access, so another authorizer can allow what the roles do not.
func (z *Authorizer) Authorize(ctx context.Context, a rest.Access) (rest.Decision, error) {
	if z.mirror != nil && mayStay(&a) {
		z.following.Do(func() { go z.follow() })
	}
	if group := z.administrates(a.User); group != "" {
		return rest.Decision{Verdict: rest.Allow, Reason: "a member of the administrators"}, nil
	}
	index, err := z.rights(ctx)
	if err != nil {
		return rest.Decision{}, err
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
		return rest.Decision{Verdict: rest.Allow, Reason: found.reason}, nil
	}
	return rest.Decision{Reason: index.unresolved(a.User, a.Namespace)}, nil
}

// mayStay reports whether the access may be one of a watch or a stream, which ends when a right is lost that it depends on. Impersonation
// counts, because the right to act as an administrator depends on the roles, and another authorizer may decide about the watch itself.
func mayStay(a *rest.Access) bool {
	return a.Verb == "watch" || a.Verb == "impersonate" || a.Subresource != ""
}

// unresolved names the roles that bindings of the user refer to, and that do not exist.
func (x *index) unresolved(u rest.User, namespace string) string {
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
func (z *Authorizer) administrates(u rest.User) string {
	for _, group := range u.Groups {
		if slices.Contains(z.administrators, group) {
			return group
		}
	}
	return ""
}

// Administrators returns [Options.Administrators], whose requests are exempt from the limits of the API (see [rest.Options]).
func (z *Authorizer) Administrators() []string { return slices.Clone(z.administrators) }

// rulesOf returns the rules of a user in a namespace, or everywhere if namespace is empty.
func (z *Authorizer) rulesOf(ctx context.Context, u rest.User, namespace string) (rules []PolicyRule, err error) {
	if z.administrates(u) != "" {
		rules = everything()
	}
	index, err := z.rights(ctx)
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

// RulesFor implements [rest.RuleLister].
func (z *Authorizer) RulesFor(ctx context.Context, u rest.User, namespace string) (out rest.AccessRules, err error) {
	rules, err := z.rulesOf(ctx, u, namespace)
	for _, r := range rules {
		if len(r.Resources) > 0 {
			out.Resources = append(out.Resources, rest.ResourceAccess{Verbs: r.Verbs, Groups: r.APIGroups, Resources: r.Resources, Names: r.ResourceNames})
		}
		if len(r.NonResourceURLs) > 0 {
			out.Paths = append(out.Paths, rest.PathAccess{Verbs: r.Verbs, Paths: r.NonResourceURLs})
		}
	}
	return out, err
}
