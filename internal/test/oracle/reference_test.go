package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	registry "k8s.io/apiserver/pkg/registry/rest"
)

// reference decodes and checks the objects of one version of a definition with the code of an API server.
type reference struct {
	kind       schema.GroupVersionKind
	plural     string
	namespaced bool
	storage    *reference // the reference of the stored version; nil if it is this one
	props      *apiextensions.JSONSchemaProps
	structural *structuralschema.Structural
	strategy   interface {
		registry.RESTCreateStrategy
		registry.RESTUpdateStrategy
	}
}

// newReference returns the reference of a version of a valid definition.
func newReference(t testing.TB, d *apiextensions.CustomResourceDefinition, version string) *reference {
	t.Helper()
	i := slices.IndexFunc(d.Spec.Versions,
		func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Name == version })
	require.GreaterOrEqual(t, i, 0, "%s has no version %s", d.Name, version)
	v := d.Spec.Versions[i]
	shared := func(of, all *apiextensions.CustomResourceValidation) *apiextensions.CustomResourceValidation {
		if of != nil {
			return of
		}
		return all // the internal type keeps once what all versions have in common
	}
	sub := v.Subresources
	if sub == nil {
		sub = d.Spec.Subresources
	}
	if sub == nil {
		sub = &apiextensions.CustomResourceSubresources{}
	}
	fields := v.SelectableFields
	if fields == nil {
		fields = d.Spec.SelectableFields
	}
	var selectable []apiextensionsv1.SelectableField
	for _, f := range fields {
		selectable = append(selectable, apiextensionsv1.SelectableField{JSONPath: f.JSONPath})
	}
	r := &reference{
		kind:   schema.GroupVersionKind{Group: d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind},
		plural: d.Spec.Names.Plural, namespaced: d.Spec.Scope == apiextensions.NamespaceScoped,
		props: shared(v.Schema, d.Spec.Validation).OpenAPIV3Schema,
	}
	if !v.Storage {
		stored := slices.IndexFunc(d.Spec.Versions,
			func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Storage })
		r.storage = newReference(t, d, d.Spec.Versions[stored].Name)
	}
	structural, err := structuralschema.NewStructural(r.props)
	require.NoError(t, err)
	r.structural = structural.DeepCopy()
	require.NoError(t, defaulting.PruneDefaults(r.structural))
	validator, _, err := validation.NewSchemaValidator(r.props)
	require.NoError(t, err)
	r.strategy = customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), r.namespaced, r.kind, validator,
		nil, r.structural, sub.Status, sub.Scale, selectable)
	return r
}

// decode returns an object as an API server decodes it, with defaults, and the unknown fields that it prunes.
func (r *reference) decode(t testing.TB,
	obj map[string]any) (decoded *unstructured.Unstructured, unknown []string, err error) {
	u := &unstructured.Unstructured{Object: plainValue(t, obj).(map[string]any)}
	version, kind := u.GetAPIVersion(), u.GetKind()
	meta, _, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object,
		objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, r.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, r.structural)
	fault, below := objectmeta.CoerceWithOptions(nil, u.Object, r.structural, false,
		objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fault != nil {
		return nil, nil, fault
	}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
		return nil, nil, err
	}
	defaulting.Default(u.Object, r.structural)
	return u, append(unknown, below...), nil
}

// written is an object that has been written, or why it has not.
type written struct {
	object  map[string]any // the stored object without metadata
	unknown []string       // fields that were pruned
	causes  []string       // the causes of a refusal because the object is invalid
	refused bool           // the object cannot be decoded
}

// create creates an object.
func (r *reference) create(t testing.TB, obj map[string]any) written {
	t.Helper()
	u, unknown, err := r.decode(t, obj)
	if err != nil {
		return written{refused: true}
	}
	registry.FillObjectMetaSystemFields(u)
	return r.written(t, u, unknown, registry.BeforeCreate(r.strategy, r.within(u), u))
}

// update replaces an object.
func (r *reference) update(t testing.TB, obj, old map[string]any) written {
	t.Helper()
	u, unknown, err := r.decode(t, obj)
	if err != nil {
		return written{refused: true}
	}
	before, _, err := r.decode(t, old)
	require.NoError(t, err)
	return r.written(t, u, unknown, registry.BeforeUpdate(r.strategy, r.within(u), u, before))
}

// within returns a context with the namespace of a request for an object.
func (r *reference) within(u *unstructured.Unstructured) context.Context {
	if !r.namespaced {
		return request.WithNamespace(context.Background(), "")
	}
	if u.GetNamespace() == "" {
		u.SetNamespace("default")
	}
	return request.WithNamespace(context.Background(), u.GetNamespace())
}

func (r *reference) written(t testing.TB, u *unstructured.Unstructured, unknown []string, err error) written {
	t.Helper()
	if err != nil {
		var invalid *apierrors.StatusError
		require.True(t, errors.As(err, &invalid) && apierrors.IsInvalid(err), "%v", err)
		var causes []string
		for _, c := range invalid.ErrStatus.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s: %s", c.Field, c.Message))
		}
		slices.Sort(causes)
		return written{causes: causes}
	}
	stored := u // an API server decodes what it has stored
	for _, version := range []*reference{r.storage, r} {
		if version != nil {
			stored.SetAPIVersion(version.kind.GroupVersion().String())
			stored, _, err = version.decode(t, stored.Object)
			require.NoError(t, err)
		}
	}
	delete(stored.Object, "metadata")
	slices.Sort(unknown)
	return written{object: stored.Object, unknown: unknown}
}
