package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// paramsOf returns the resource of the parameters of a policy, or nil for a policy without parameters. It returns an error if the API does not serve their
// kind.
func (w *reviewed) paramsOf(p *policy) (*resource.Resource, error) {
	if p.paramKind == nil {
		return nil, nil
	}
	for res := range w.review.Environment().Served().EveryVersion {
		if res.GVK == *p.paramKind && !res.Kind.Virtual {
			return res, nil
		}
	}
	return nil, fmt.Errorf("failed to find resource referenced by paramKind: '%v'", *p.paramKind)
}

var errNoParams = errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")

// collect returns the parameters that a binding refers to. A policy without parameters, or whose binding does not refer to any, has one
// that is absent. An empty result means that the policy has no effect.
func (w *reviewed) collect(ctx context.Context, of *resource.Resource, ref *ar.ParamRef) ([]doc.Value, error) {
	if of == nil || ref == nil {
		return []doc.Value{{}}, nil
	}
	namespace, err := w.paramsNamespace(of, ref)
	if err != nil {
		return nil, err
	}
	var records []*storage.Record // in the version of the kind
	switch {
	case ref.Name != "" && ref.Selector != nil:
		return nil, errors.New("paramRef.name and paramRef.selector are mutually exclusive")
	case ref.Name != "":
		record, err := of.Get(ctx, resource.Target{Namespace: namespace, Name: ref.Name}, storage.MostRecent)
		if err != nil && !status.IsNotFound(err) {
			return nil, err
		}
		if err == nil {
			records = append(records, record)
		}
	case ref.Selector != nil:
		selector, err := ref.Selector.Selector()
		if err != nil {
			return nil, err
		}
		page, err := of.List(ctx, namespace, resource.ListParameters{Labels: selector}, nil)
		if err != nil {
			return nil, err
		}
		for _, stored := range page.Records {
			record, err := of.Show(stored)
			if err != nil {
				return nil, err
			}
			records = append(records, record)
		}
	default:
		return nil, errors.New("one of name or selector must be provided")
	}
	if len(records) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == ar.DenyAction {
		return nil, errNoParams
	}
	params := make([]doc.Value, len(records))
	for i, r := range records {
		if params[i], _, err = codec.DecodeJSON(r.JSON); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// paramsNamespace returns the namespace of the parameters that a binding refers to: by default that of the write.
func (w *reviewed) paramsNamespace(of *resource.Resource, ref *ar.ParamRef) (string, error) {
	switch {
	case !of.Kind.Namespaced && ref.Namespace != "":
		return "", errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !of.Kind.Namespaced:
		return "", nil
	case ref.Namespace != "":
		return ref.Namespace, nil
	}
	if namespace := w.review.NamespaceName(); namespace != "" {
		return namespace, nil
	}
	return "", errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
}
