package rest

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/status"
)

// SubresourceOf is a subresource of a resource of T: a [Subresource] or a [Stream] of T and some other Go type.
type SubresourceOf[T any] interface {
	subresource(parent *resource) (*servedSubresource, error)
}

// Subresource declares a part or an action of an object that has a kind and a URL of its own, …/NAME/SUBRESOURCE
// (API conventions, Verbs on Resources). Which verbs it has follows from the functions that are set.
type Subresource[T, S any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Group, Version and Kind are those of S. Default: the resource's group and version, and the name of S.
	Group, Version, Kind string

	// Get answers GET with what the object shows of itself as S; nil is answered 404.
	Get func(ctx context.Context, parent *T) (*S, error)
	// Update answers PUT and PATCH: it changes the object according to sub. The changed object is then validated and
	// stored as by any other update. Status is out of its reach. Update needs Get.
	Update func(ctx context.Context, parent *T, sub *S) error
	// Create answers POST: an action on the object. What it returns is answered with 201; nil answers a Status.
	Create func(ctx context.Context, parent *T, sub *S) (*S, error)
	// CreateDryRun answers POST with dryRun=All: what Create would, without effects. Without it such a request is refused
	// with 400.
	CreateDryRun func(ctx context.Context, parent *T, sub *S) (*S, error)
}

// subresource is a Subresource with its types forgotten: it reads and changes documents of the parent.
type subresource struct {
	name   string
	kind   apimeta.GroupVersionKind
	schema *schema.Schema
	verbs  []string
	// get returns what the subresource shows of a parent.
	get func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// written returns what the subresource shows of a parent that is written through it.
	written func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// update returns the parent as it becomes when the subresource is like sub.
	update func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// create runs an action on a parent; an absent answer is a plain success.
	create func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// dryRun is create without effects; nil where there is no such thing.
	dryRun func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// goType is the subresource's type; nil for a part of the object and for bytes.
	goType reflect.Type
	// stream: the subresource carries bytes, and has nothing of the above but its name, its kind and its verbs.
	stream *kind.Stream
	// kindImplied: a body need not name its apiVersion and kind, as of all types that the API server brings.
	kindImplied bool
	// applied is the field of the parent that is owned by who applies spec.replicas; nil where nothing can be applied.
	applied []string
	// ofItself: the subresource is a part of the object, of the same kind, served by the pipeline itself.
	ofItself bool
	part     part
}

func (s Subresource[T, S]) subresource(parent *resource) (*servedSubresource, error) {
	t := reflect.TypeFor[S]()
	sub := &subresource{name: s.Name, goType: t, kind: apimeta.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}}
	if s.Version == "" {
		sub.kind.Group, sub.kind.Version = parent.gvk.Group, parent.gvk.Version
	}
	if s.Kind == "" {
		sub.kind.Kind = t.Name()
	}
	if err := checkSubresourceName(s.Name); err != nil {
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
	if sub.schema, err = schema.Derive(t, schema.Options{}); err != nil {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, err)
	}
	if s.Get != nil {
		sub.verbs = append(sub.verbs, kind.Get)
		sub.get = func(ctx context.Context, parent doc.Value) (v doc.Value, err error) {
			defer recoverHook("Get of "+s.Name, &err)
			obj, err := decodeParent[T](parent)
			if err != nil {
				return doc.Value{}, err
			}
			out, err := s.Get(ctx, obj)
			if err == nil && out == nil {
				err = status.ResourceNotFound() // this object has none
			}
			if err != nil {
				return doc.Value{}, err
			}
			return codec.FromGo(out)
		}
		sub.written = sub.get
	}
	if s.Update != nil {
		sub.verbs = append(sub.verbs, kind.Patch, kind.Update)
		sub.update = func(ctx context.Context, old, v doc.Value) (changed doc.Value, err error) {
			defer recoverHook("Update of "+s.Name, &err)
			obj, err := decodeParent[T](old)
			if err != nil {
				return doc.Value{}, err
			}
			in := new(S)
			if err := codec.ToGo(v, in); err != nil {
				return doc.Value{}, status.BadRequest(err.Error())
			}
			return parent.changeTyped(old, obj, func() error { return s.Update(ctx, obj, in) })
		}
	}
	if s.Create != nil {
		sub.verbs = append([]string{kind.Create}, sub.verbs...)
		sub.create = actionOf("Create of "+s.Name, s.Create)
	}
	if s.CreateDryRun != nil {
		sub.dryRun = actionOf("CreateDryRun of "+s.Name, s.CreateDryRun)
	}
	return &servedSubresource{subresource: sub, wire: wireOf[S]()}, nil
}

// actionOf makes a function of the host's one on documents.
func actionOf[T, S any](name string, f func(ctx context.Context, parent *T, sub *S) (*S, error)) func(ctx context.Context, parent, sub doc.Value) (doc.Value, error) {
	return func(ctx context.Context, parent, v doc.Value) (out doc.Value, err error) {
		defer recoverHook(name, &err)
		obj, err := decodeParent[T](parent)
		if err != nil {
			return doc.Value{}, err
		}
		in := new(S)
		if err := codec.ToGo(v, in); err != nil {
			return doc.Value{}, status.BadRequest(err.Error())
		}
		answer, err := f(ctx, obj, in)
		if err != nil || answer == nil {
			return doc.Value{}, err
		}
		return codec.FromGo(answer)
	}
}

func checkSubresourceName(name string) error {
	if name == "status" || len(apimeta.ValidateDNS1123Label(name)) > 0 {
		return fmt.Errorf("subresource %q: the name must be a lower-case word other than 'status'", name)
	}
	return nil
}

// decodeParent decodes a stored object for a hook of a subresource.
func decodeParent[T any](parent doc.Value) (*T, error) {
	obj := new(T)
	if err := codec.ToGo(parent, obj); err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return obj, nil
}

// has reports whether the subresource has a verb.
func (s *subresource) has(verb string) bool { return slices.Contains(s.verbs, verb) }
