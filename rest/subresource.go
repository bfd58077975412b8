package rest

import (
	"context"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// SubresourceOf is a subresource of a resource of T: a [Subresource] of T and some other Go type.
type SubresourceOf[T any] interface {
	subresource(parent apimeta.GroupVersion) (*subresource, error)
}

// Subresource declares a part or an action of an object that has a kind and a URL of its own, …/NAME/SUBRESOURCE
// (API conventions, Verbs on Resources). Which verbs it has follows from the functions that are set.
type Subresource[T, S any] struct {
	// Name is the last segment of the URL, a lower-case word.
	Name string
	// Group, Version and Kind are those of S. Default: the resource's group and version, and the name of S.
	Group, Version, Kind string

	// Get answers GET with what the object shows of itself as S.
	Get func(ctx context.Context, parent *T) (*S, error)
	// Update answers PUT and PATCH: it changes the object according to sub. The changed object is then validated and
	// stored as by any other update. Status is out of its reach. Update needs Get.
	Update func(ctx context.Context, parent *T, sub *S) error
	// Create answers POST: an action on the object. What it returns is answered with 201; nil answers a Status.
	Create func(ctx context.Context, parent *T, sub *S) (*S, error)
}

// subresource is a Subresource with its types forgotten; parents and subs behind any are *T and *S.
type subresource struct {
	name     string
	kind     apimeta.GroupVersionKind
	schema   *schema.Schema
	get      func(ctx context.Context, parent any) (doc.Value, error)
	update   func(ctx context.Context, parent any, sub doc.Value) error
	create   func(ctx context.Context, parent any, sub doc.Value) (doc.Value, error)
	verbs    []Verb
	onStatus bool // /status: the same kind as the resource, served by the pipeline itself
}

func (s Subresource[T, S]) subresource(parent apimeta.GroupVersion) (*subresource, error) {
	t := reflect.TypeFor[S]()
	sub := &subresource{name: s.Name, kind: apimeta.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}}
	if s.Version == "" {
		sub.kind.Group, sub.kind.Version = parent.Group, parent.Version
	}
	if s.Kind == "" {
		sub.kind.Kind = t.Name()
	}
	switch {
	case s.Name == "" || s.Name == "status" || len(apimeta.ValidateDNS1123Label(s.Name)) > 0:
		return nil, fmt.Errorf("subresource %q: the name must be a lower-case word other than 'status'", s.Name)
	case s.Get == nil && s.Create == nil:
		return nil, fmt.Errorf("subresource %q: neither Get nor Create is set", s.Name)
	case s.Update != nil && s.Get == nil:
		return nil, fmt.Errorf("subresource %q: Update needs Get", s.Name)
	}
	var err error
	if sub.schema, err = schema.Derive(t, schema.Options{}); err != nil {
		return nil, fmt.Errorf("subresource %q: %w", s.Name, err)
	}
	if s.Get != nil {
		sub.verbs = append(sub.verbs, Get)
		sub.get = func(ctx context.Context, parent any) (v doc.Value, err error) {
			defer recoverHook("Get of "+s.Name, &err)
			out, err := s.Get(ctx, parent.(*T))
			if err != nil {
				return doc.Value{}, err
			}
			return codec.FromGo(out)
		}
	}
	if s.Update != nil {
		sub.verbs = append(sub.verbs, Patch, Update)
		sub.update = func(ctx context.Context, parent any, v doc.Value) (err error) {
			defer recoverHook("Update of "+s.Name, &err)
			in := new(S)
			if err := codec.ToGo(v, in); err != nil {
				return err
			}
			return s.Update(ctx, parent.(*T), in)
		}
	}
	if s.Create != nil {
		sub.verbs = append([]Verb{Create}, sub.verbs...)
		sub.create = func(ctx context.Context, parent any, v doc.Value) (out doc.Value, err error) {
			defer recoverHook("Create of "+s.Name, &err)
			in := new(S)
			if err := codec.ToGo(v, in); err != nil {
				return doc.Value{}, err
			}
			answer, err := s.Create(ctx, parent.(*T), in)
			if err != nil || answer == nil {
				return doc.Value{}, err
			}
			return codec.FromGo(answer)
		}
	}
	return sub, nil
}

// has reports whether the subresource has a verb.
func (s *subresource) has(v Verb) bool {
	for _, have := range s.verbs {
		if have == v {
			return true
		}
	}
	return false
}
