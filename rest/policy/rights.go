package policy

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/status"
)

func (p *policies) validateValidatingBinding(ctx context.Context, b,
	old *ar.ValidatingAdmissionPolicyBinding) (status.FieldErrors, error) {
	errs := b.Validate()
	if len(errs) > 0 || old != nil && b.Spec.PolicyName == old.Spec.PolicyName &&
		reflect.DeepEqual(b.Spec.ParamRef, old.Spec.ParamRef) {
		return errs, nil
	}
	return p.mayReadParams(ctx, validatingHalf, b.Spec.PolicyName, b.Spec.ParamRef)
}

func (p *policies) validateMutatingBinding(ctx context.Context, b,
	old *ar.MutatingAdmissionPolicyBinding) (status.FieldErrors, error) {
	errs := b.Validate()
	if len(errs) > 0 || old != nil && b.Spec.PolicyName == old.Spec.PolicyName &&
		reflect.DeepEqual(b.Spec.ParamRef, old.Spec.ParamRef) {
		return errs, nil
	}
	return p.mayReadParams(ctx, mutatingHalf, b.Spec.PolicyName, b.Spec.ParamRef)
}

// readAccess returns the access to the objects of a kind with a verb: to those of all kinds if kind is nil, and of all
// resources of the group and version if the API does not serve it.
func (p *policies) readAccess(verb string, kind *apimeta.GroupVersionKind) access.Access {
	a := access.Access{Verb: access.Verb(verb), Group: "*", Version: "*", Resource: "*"}
	if kind == nil {
		return a
	}
	a.Group, a.Version = kind.Group, kind.Version
	if r, ok := p.resourceOf(*kind); ok {
		a.Resource, _, _ = strings.Cut(r.Name, ".")
	}
	return a
}

// mayReadKind returns an error unless the user may read all objects of a kind of parameters.
func (p *policies) mayReadKind(ctx context.Context, kind *ar.ParamKind) status.FieldErrors {
	if kind == nil {
		return nil
	}
	a := p.readAccess("get", kindOf(kind))
	a.Namespace, a.Name = "*", "*"
	at := status.NewPath("spec", "paramKind")
	switch allowed, err := allows(ctx, a); {
	case err != nil:
		return status.FieldErrors{status.ForbiddenField(at, err.Error())}
	case !allowed:
		return status.FieldErrors{status.ForbiddenField(at,
			fmt.Sprintf(`user %s must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`,
				shownUser(ctx), kind.Kind, kind.APIVersion))}
	}
	return nil
}

// mayReadParams returns an error unless the user may read the parameters that a binding refers to.
func (p *policies) mayReadParams(ctx context.Context, h halfName, policy string,
	ref *ar.ParamRef) (status.FieldErrors, error) {
	if ref == nil {
		return nil, nil
	}
	verb := "get"
	if ref.Name == "" {
		verb = "list"
	}
	kind, exists, err := p.paramKind(ctx, h, policy)
	if err != nil {
		return nil, err
	}
	a := p.readAccess(verb, kind)
	a.Namespace, a.Name = ref.Namespace, ref.Name
	allowed, err := allows(ctx, a)
	at := status.NewPath("spec", "paramRef")
	switch {
	case err != nil:
		return status.FieldErrors{status.ForbiddenField(at, "failed to authorize request: "+err.Error())}, nil
	case allowed:
		return nil, nil
	case !exists:
		return status.FieldErrors{status.ForbiddenField(at, fmt.Sprintf(
			`unable to get policy %s to determine minimum required permissions and user %s does not have %q permission for all groups, versions and resources`, policy, shownUser(ctx), verb))}, nil
	case kind != nil && a.Resource == "*":
		return status.FieldErrors{status.ForbiddenField(at, fmt.Sprintf(
			`unable to resolve paramKind %v to determine minimum required permissions and user %s does not have %q permission for all groups, versions and resources`, kind, shownUser(ctx), verb))}, nil
	}
	return status.FieldErrors{status.ForbiddenField(at,
		fmt.Sprintf(`user %s does not have %q permission on the object referenced by paramRef`, shownUser(ctx), verb))}, nil
}

// paramKind returns the kind of the parameters of a policy, and whether the policy exists.
func (p *policies) paramKind(ctx context.Context, h halfName,
	name string) (kind *apimeta.GroupVersionKind, exists bool, err error) {
	index, err := p.mirror.Acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer p.mirror.Release()
	policy := index.halves[h].policies[name]
	if policy == nil {
		return nil, false, nil
	}
	return policy.paramKind, true, nil
}

func allows(ctx context.Context, a access.Access) (bool, error) {
	d, err := access.Authorize(ctx, a)
	if d.Allowed() {
		return true, nil
	}
	return false, err
}

// shownUser returns the user of the request as messages show it.
func shownUser(ctx context.Context) string { return fmt.Sprintf("%q", access.UserFrom(ctx).Name) }
