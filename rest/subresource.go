package rest

import (
	"context"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// SubresourceOf is a subresource of a resource whose objects are T: a [Subresource] or a [Stream] of T and another Go type.
type SubresourceOf[T any] interface {
	subresource(parent *resource.Resource) (*servedSubresource, error)
}

// Subresource declares a view of an object, or an action on it, at its own URL …/NAME/SUBRESOURCE (API conventions, Verbs on
// Resources). T is the Go type of the object and S that of the subresource. The functions that are set determine the verbs. An
// error of package status is the answer; any other error, and a panic, is answered with 500.
type Subresource[T, S any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Group, Version and Kind are the kind of S. Default: the resource's group and version, and the name of S.
	Group, Version, Kind string

	// Get answers GET with the view of the object. If it returns nil, the answer is 404.
	Get func(ctx context.Context, parent *T) (*S, error)
	// Update answers PUT and PATCH by changing the object according to sub. The changed object is validated and stored like in
	// any other update. It cannot change the status. Update requires Get.
	Update func(ctx context.Context, parent *T, sub *S) error
	// Create answers POST by running an action on the object. The answer is its result with 201, or a Status if the result is
	// nil.
	Create func(ctx context.Context, parent *T, sub *S) (*S, error)
	// CreateDryRun answers POST with dryRun=All: it returns what Create would return, and has no effects. If it is not set, such
	// a request is refused with 400.
	CreateDryRun func(ctx context.Context, parent *T, sub *S) (*S, error)
}

// subresource implements [SubresourceOf]. It wraps the functions of the host as functions on documents.
func (s Subresource[T, S]) subresource(parent *resource.Resource) (*servedSubresource, error) {
	t := reflect.TypeFor[S]()
	sub := &resource.Subresource{Name: s.Name, GoType: t, Kind: apimeta.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}}
	if s.Version == "" {
		sub.Kind.Group, sub.Kind.Version = parent.GVK.Group, parent.GVK.Version
	}
	if s.Kind == "" {
		sub.Kind.Kind = t.Name()
	}
	if err := resource.CheckSubresourceName(s.Name); err != nil {
		return nil, err
	}
	switch {
	case s.Get == nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: neither Get nor Create is set", s.Name)
	case s.Update != nil && s.Get == nil:
		return nil, fmt.Errorf("subresource %q: Update needs Get", s.Name)
	case s.CreateDryRun != nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: CreateDryRun needs Create", s.Name)
	}
	var err error
	if sub.Schema, err = parent.Derive(t, schema.Options{}); err != nil {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, err)
	}
	if s.Get != nil {
		sub.Verbs = append(sub.Verbs, kind.Get)
		sub.Get = func(ctx context.Context, parent doc.Value) (v doc.Value, err error) {
			defer resource.RecoverHook("Get of "+s.Name, &err)
			obj, err := decodeParent[T](parent)
			if err != nil {
				return doc.Value{}, err
			}
			out, err := s.Get(ctx, obj)
			if err == nil && out == nil {
				err = status.ResourceNotFound() // this object does not have the subresource
			}
			if err != nil {
				return doc.Value{}, err
			}
			return codec.FromGo(out)
		}
		sub.Written = sub.Get
	}
	if s.Update != nil {
		sub.Verbs = append(sub.Verbs, kind.Patch, kind.Update)
		sub.Update = func(ctx context.Context, old, v doc.Value) (changed doc.Value, err error) {
			defer resource.RecoverHook("Update of "+s.Name, &err)
			obj, err := decodeParent[T](old)
			if err != nil {
				return doc.Value{}, err
			}
			in := new(S)
			if err := schema.ToGo(v, in); err != nil {
				return doc.Value{}, status.BadRequest(err.Error())
			}
			return parent.ChangeTyped(old, obj, func() error { return s.Update(ctx, obj, in) })
		}
	}
	if s.Create != nil {
		sub.Verbs = append([]string{kind.Create}, sub.Verbs...)
		sub.Create = actionOf("Create of "+s.Name, s.Create)
	}
	if s.CreateDryRun != nil {
		sub.DryRun = actionOf("CreateDryRun of "+s.Name, s.CreateDryRun)
	}
	message, err := media.MessageOf[S]()
	return &servedSubresource{Subresource: sub, media: media.OfSubresource(parent.Kind, parent.Dialect, message)}, err
}

// actionOf wraps a function of the host as a function on documents.
func actionOf[T, S any](name string, f func(ctx context.Context, parent *T, sub *S) (*S, error)) func(ctx context.Context, parent, sub doc.Value) (doc.Value, error) {
	return func(ctx context.Context, parent, v doc.Value) (out doc.Value, err error) {
		defer resource.RecoverHook(name, &err)
		obj, err := decodeParent[T](parent)
		if err != nil {
			return doc.Value{}, err
		}
		in := new(S)
		if err := schema.ToGo(v, in); err != nil {
			return doc.Value{}, status.BadRequest(err.Error())
		}
		answer, err := f(ctx, obj, in)
		if err != nil || answer == nil {
			return doc.Value{}, err
		}
		return codec.FromGo(answer)
	}
}

// decodeParent decodes a stored object into a new value, which the hook may change.
func decodeParent[T any](parent doc.Value) (*T, error) {
	obj := new(T)
	if err := codec.ToGo(parent, obj); err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return obj, nil
}
