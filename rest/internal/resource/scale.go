package resource

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// scaleGroup is the API group of the kind Scale.
const scaleGroup = "autoscaling"

// scaleType returns the Go type of autoscaling/v1 Scale. Its struct types have upstream's names, because decoding
// errors show them.
func scaleType() reflect.Type {
	type ScaleSpec struct {
		Replicas int32 `json:"replicas,omitempty" api:"doc='The wanted count.'"`
	}
	type ScaleStatus struct {
		Replicas int32  `json:"replicas" api:"optional,doc='The actual count.'"`
		Selector string `json:"selector,omitempty" api:"doc='The labels of what is counted, as a label selector.'"`
	}
	type Scale struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               ScaleSpec   `json:"spec,omitempty" api:"optional,doc='What is wanted.'"`
		Status             ScaleStatus `json:"status,omitempty" api:"doc='What there is.'"`
	}
	return reflect.TypeFor[Scale]()
}

// scaler implements the subresource /scale of a resource. It holds the parsed paths.
type scaler struct {
	res                    *Resource
	spec, status, selector []string
	plainLabels            bool // the selector is a map of labels, as in ReplicationController
}

// ScalePaths names the fields of an object that /scale shows, by paths such as ".spec.replicas". Selector may be empty.
type ScalePaths struct{ SpecReplicas, StatusReplicas, Selector string }

// scaleSubresource returns the subresource /scale. It returns an error if a path leads to no field of the Go type, or
// to one of another type. In a kind without a Go type, upstream accepts every path.
func (res *Resource) scaleSubresource(s ScalePaths) (*Subresource, error) {
	sc := scaler{res: res}
	for _, f := range []struct {
		name, path string
		into       *[]string
		typ        string
	}{
		{"SpecReplicas", s.SpecReplicas, &sc.spec, schema.IntegerType},
		{"StatusReplicas", s.StatusReplicas, &sc.status, schema.IntegerType},
		{"Selector", s.Selector, &sc.selector, ""},
	} {
		if f.path == "" && f.name == "Selector" {
			continue
		}
		path := strings.Split(strings.TrimPrefix(f.path, "."), ".")
		at := res.Schema.At(path...)
		if !res.Schema.FromOpenAPI() && (at == nil || f.typ != "" && at.Type != f.typ) {
			return nil, fmt.Errorf("Scale: %s %q: unknown field, or not of type %s", f.name, f.path, f.typ)
		}
		*f.into = path
	}
	if at := res.Schema.At(sc.selector...); len(sc.selector) > 0 && !res.Schema.FromOpenAPI() {
		sc.plainLabels = at.Additional != nil
	}
	if res.Dialect.CountsChecked {
		res.scale = &sc
	}
	derived, err := res.Derive(scaleType(), schema.Options{})
	if err != nil {
		return nil, fmt.Errorf("Scale: %w", err)
	}
	return &Subresource{Name: "scale", Kind: apimeta.GroupVersionKind{Group: scaleGroup, Version: "v1", Kind: "Scale"},
		Schema: derived, Verbs: []string{kind.Get, kind.Patch, kind.Update}, Get: sc.get, Written: sc.written,
		Update: sc.update,
		GoType: scaleType(), KindImplied: true, Applied: sc.spec}, nil
}

// get returns the Scale of an object for a GET. Unlike written, it fails if the object has no count, as upstream does.
func (s scaler) get(_ context.Context, parent doc.Value) (doc.Value, error) {
	if parent.Lookup(s.spec...).IsAbsent() {
		return doc.Value{}, status.InternalError(fmt.Errorf("the spec replicas field %q does not exist", s.specField()))
	}
	return s.scaleOf(parent)
}

// written returns the Scale of an object after a write. The write is committed, so written cannot fail: a missing count
// is zero, and a selector that cannot be parsed is left out.
func (s scaler) written(_ context.Context, parent doc.Value) (doc.Value, error) {
	v, _ := s.scaleOf(parent)
	return v, nil
}

// noCount is the count that a patch sees if the object has none. The patch must replace it. The value is upstream's.
const noCount = math.MinInt32

func (s scaler) specField() string { return "." + strings.Join(s.spec, ".") }

// scaleOf returns the Scale of an object. If it returns an error, the Scale lacks the selector.
func (s scaler) scaleOf(parent doc.Value) (doc.Value, error) {
	actual := parent.Lookup(s.status...)
	if actual.IsAbsent() {
		actual = doc.OfInt(0)
	}
	wanted := parent.Lookup(s.spec...)
	if n, _ := wanted.Int(); n == 0 {
		wanted = doc.Value{} // Go leaves a zero out of a Scale
	}
	v := doc.MapOf().With("spec", doc.MapOf().With("replicas", wanted)).WithAt(actual, "status",
		"replicas").With("metadata", doc.MapOf())
	if len(s.selector) == 0 {
		return v, nil
	}
	selector := parent.Lookup(s.selector...)
	if s.plainLabels {
		selector = doc.MapOf(doc.Member{Key: "matchLabels", Value: selector})
	}
	text, err := selectorText(selector)
	if err != nil || text == "" {
		return v, err
	}
	return v.WithAt(doc.Of(text), "status", "selector"), nil
}

// selectorText returns a selector as text. v is a text or a LabelSelector.
func selectorText(v doc.Value) (string, error) {
	if v.Kind() != doc.Map {
		return v.Text(), nil
	}
	var selector apimeta.LabelSelector
	if err := codec.ToGo(v, &selector); err != nil {
		return "", err
	}
	parsed, err := selector.Matcher()
	return parsed.String(), err
}

// update sets the parent's count to the Scale's count. A Scale without a count means zero.
func (s scaler) update(_ context.Context, parent, scale doc.Value) (doc.Value, error) {
	wanted := scale.Lookup("spec", "replicas")
	if wanted.IsAbsent() {
		wanted = doc.OfInt(0)
	}
	n, _ := wanted.Int()
	if n == noCount {
		return doc.Value{}, status.BadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", s.specField()))
	}
	if n < 0 && !s.res.Dialect.CountsChecked {
		return doc.Value{}, status.Invalid(apimeta.GroupKind{Group: scaleGroup, Kind: "Scale"}, objectmeta.NameOf(parent),
			status.FieldErrors{
				status.InvalidField(status.NewPath("spec", "replicas"), n, "must be greater than or equal to 0")})
	}
	return parent.WithAt(wanted, s.spec...), nil
}

// ValidateScale checks the fields that /scale reads, in every write of the object, as upstream does for custom
// resources.
func (res *Resource) ValidateScale(obj doc.Value, which Part) status.FieldErrors {
	var errs status.FieldErrors
	s := res.scale
	if s == nil {
		return nil
	}
	if which != StatusPart {
		errs = checkCount(obj, s.spec)
	}
	errs = append(errs, checkCount(obj, s.status)...)
	if len(s.selector) == 0 || !s.res.Schema.FromOpenAPI() && s.res.Schema.At(s.selector...).Type != schema.StringType {
		return errs
	}
	if v, err := reach(obj, s.selector); err != nil {
		errs = append(errs, status.InvalidField(scaleField(s.selector), "", err.Error()))
	} else if !v.IsAbsent() && v.Kind() != doc.String {
		errs = append(errs, status.InvalidField(scaleField(s.selector), "", unreachable(s.selector, v, "string").Error()))
	}
	return errs
}

// checkCount refuses a replica count that is not an integer, is negative, or is too large for a Scale.
func checkCount(obj doc.Value, path []string) status.FieldErrors {
	v, err := reach(obj, path)
	n, isInteger := v.Int()
	if err == nil && !v.IsAbsent() && !isInteger {
		err = unreachable(path, v, "int64")
	}
	at := scaleField(path)
	switch {
	case err != nil:
		return status.FieldErrors{status.InvalidField(at, 0, err.Error())}
	case n < 0:
		return status.FieldErrors{status.InvalidField(at, n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return status.FieldErrors{status.InvalidField(at, n,
			fmt.Sprintf("should be less than or equal to %d", math.MaxInt32))}
	}
	return nil
}

func scaleField(path []string) *status.Path { return status.NewPath("." + strings.Join(path, ".")) }

// reach returns the value of a field, which may be absent. It fails if a value on the way is not a map.
func reach(obj doc.Value, path []string) (doc.Value, error) {
	for i, name := range path {
		switch {
		case obj.IsAbsent() || obj.IsNull():
			return doc.Value{}, nil
		case obj.Kind() != doc.Map:
			return doc.Value{}, unreachable(path[:i+1], obj, "map[string]interface{}")
		}
		obj = obj.Get(name)
	}
	return obj, nil
}

// unreachable returns upstream's error for a value of another type than expected.
func unreachable(path []string, v doc.Value, want string) error {
	return fmt.Errorf(".%s accessor error: %v is of the type %s, expected %s", strings.Join(path, "."), v.Plain(),
		v.GoType(), want)
}

// WithoutCount puts noCount into a Scale that a patch is about to change, if the parent has no count.
func (s *Subresource) WithoutCount(v, parent doc.Value) doc.Value {
	if s.Applied == nil || !parent.Lookup(s.Applied...).IsAbsent() {
		return v
	}
	return v.WithAt(doc.OfInt(noCount), "spec", "replicas")
}

// EntriesOf returns the managedFields of the view: the entries of the parent that own the count, with the view's own
// paths.
func (s *Subresource) EntriesOf(parent doc.Value) doc.Value {
	if s.Applied == nil {
		return doc.Value{}
	}
	path := make([]string, len(s.Applied))
	for i, name := range s.Applied {
		path[i] = "f:" + name
	}
	var entries []doc.Value
	for _, e := range objectmeta.Of(parent).Get(objectmeta.ManagedFields).Elements() {
		if !e.Get("fieldsV1").Lookup(path...).IsAbsent() {
			entries = append(entries, e.With("apiVersion", doc.Of(s.Kind.GroupVersion().String())).
				With("fieldsV1", doc.MapOf().WithAt(doc.MapOf(), "f:spec", "f:replicas")))
		}
	}
	if len(entries) == 0 {
		return doc.Value{}
	}
	return doc.ListOf(entries...)
}
