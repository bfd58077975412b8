package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// params are the objects of a kind that configures policies.
type params struct {
	kind     apimeta.GroupVersionKind
	resource raw.Resource
}

// paramsOf returns the parameters of a policy, or nil for a policy without parameters. It returns an error if the API
// does not store their kind.
func (w *reviewed) paramsOf(p *policy) (*params, error) {
	if p.paramKind == nil {
		return nil, nil
	}
	if r, ok := w.policies.resourceOf(*p.paramKind); ok {
		return &params{*p.paramKind, r}, nil
	}
	return nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", *p.paramKind)
}

// resourceOf returns the resource that stores the objects of a kind.
func (p *policies) resourceOf(kind apimeta.GroupVersionKind) (of raw.Resource, ok bool) {
	for _, r := range p.objects.Resources() {
		if slices.Contains(r.Kinds, kind) {
			return r, true
		}
	}
	return of, false
}

var errNoParams = errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")

// collect returns the parameters that a binding refers to. A policy without parameters, or whose binding does not refer
// to any, has one that is absent. An empty result means that the policy has no effect.
func (w *reviewed) collect(ctx context.Context, of *params, ref *ar.ParamRef) ([]doc.Value, error) {
	if of == nil || ref == nil {
		return []doc.Value{{}}, nil
	}
	namespace, err := w.paramsNamespace(of, ref)
	if err != nil {
		return nil, err
	}
	var records []*storage.Record
	switch {
	case ref.Name != "" && ref.Selector != nil:
		return nil, errors.New("paramRef.name and paramRef.selector are mutually exclusive")
	case ref.Name != "":
		key := storage.Key{Resource: of.resource.Name, Namespace: namespace, Name: ref.Name}
		record, err := w.policies.objects.Get(ctx, key)
		if err != nil && !status.IsNotFound(err) {
			return nil, err
		}
		if err == nil {
			records = append(records, record)
		}
	case ref.Selector != nil:
		selector, err := ref.Selector.Matcher()
		if err != nil {
			return nil, err
		}
		all, err := w.policies.objects.List(ctx, of.resource.Name, namespace)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			if selector.Matches(r.Labels) {
				records = append(records, r)
			}
		}
	default:
		return nil, errors.New("one of name or selector must be provided")
	}
	if len(records) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == ar.DenyAction {
		return nil, errNoParams
	}
	params := make([]doc.Value, len(records))
	for i, r := range records {
		shown, err := w.policies.objects.In(ctx, of.kind, r)
		if err != nil {
			return nil, err
		}
		text, err := shown.JSON(ctx)
		if err != nil {
			return nil, err
		}
		if params[i], _, err = codec.DecodeJSON(text); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// paramsNamespace returns the namespace of the parameters that a binding refers to. The default is the namespace of the
// write.
func (w *reviewed) paramsNamespace(of *params, ref *ar.ParamRef) (string, error) {
	switch {
	case !of.resource.Namespaced && ref.Namespace != "":
		return "", errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !of.resource.Namespaced:
		return "", nil
	case ref.Namespace != "":
		return ref.Namespace, nil
	}
	switch {
	case w.request.IsNamespace(): // a namespace is in itself
		return w.request.Name, nil
	case w.request.Namespace != "":
		return w.request.Namespace, nil
	}
	return "", errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
}
