package resource

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
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Subresource is what stands below an object's path: a view of the object, an action on it, or a stream of bytes. It works on
// documents of the object, which is its parent.
type Subresource struct {
	Name string
	// Kind, Schema and GoType are those of what is sent and taken. A part of the object has no Go type, and neither has a stream.
	Kind   apimeta.GroupVersionKind
	Schema *schema.Schema
	GoType reflect.Type
	// Verbs are those of package kind.
	Verbs []string
	// OfItself says that the subresource is Part of the object, of the object's own kind.
	OfItself bool
	Part     Part
	// KindImplied says that a body need not name its apiVersion and kind, as with all types that API servers bring.
	KindImplied bool
	// Stream describes a subresource that carries bytes, and has none of the functions below.
	Stream *kind.Stream

	// Get returns what the subresource shows of a parent.
	Get func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Written returns what the subresource shows of a parent that is written through it.
	Written func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Update returns the parent as it becomes when the subresource is like sub.
	Update func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// Create runs an action on a parent; an absent answer is a plain success.
	Create func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// DryRun is Create without effects; nil if there is none.
	DryRun func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// applied is the field of the parent that a manager owns who applies spec.replicas; nil if nothing can be applied.
	applied []string
}

// CheckSubresourceName refuses names that no subresource of a host's can have.
func CheckSubresourceName(name string) error {
	if name == "status" || len(apimeta.ValidateDNS1123Label(name)) > 0 {
		return fmt.Errorf("subresource %q: the name must be a lower-case word other than 'status'", name)
	}
	return nil
}

// Has reports whether the subresource has a verb.
func (s *Subresource) Has(verb string) bool { return slices.Contains(s.Verbs, verb) }

// Show returns what the subresource shows of a stored parent, named like it. get is the subresource's Get or Written.
func (s *Subresource) Show(ctx context.Context, parentJSON []byte, get func(context.Context, doc.Value) (doc.Value, error)) (doc.Value, error) {
	parent, _, err := codec.DecodeJSON(parentJSON)
	if err != nil {
		return doc.Value{}, fmt.Errorf("stored object: %w", err)
	}
	v, err := get(ctx, parent)
	if err != nil {
		return doc.Value{}, err
	}
	return s.named(v, parent), nil
}

// named gives a subresource its kind and, where its type has metadata, the identity of its parent.
func (s *Subresource) named(v, parent doc.Value) doc.Value {
	v = v.With("apiVersion", doc.Of(s.Kind.GroupVersion().String())).With("kind", doc.Of(s.Kind.Kind))
	if s.Schema.Property("metadata") == nil {
		return v
	}
	m := objectmeta.Of(v)
	for _, field := range []string{objectmeta.Name, objectmeta.Namespace, objectmeta.UID, objectmeta.ResourceVersion, objectmeta.CreationTimestamp} {
		if m.Get(field).Text() == "" {
			m = m.With(field, objectmeta.Of(parent).Get(field))
		}
	}
	return v.With("metadata", m)
}

// CheckOptions fills in what the options leave out, and checks them.
func CheckOptions(options *schema.Schema, v doc.Value) (doc.Value, error) {
	v = options.Default(v)
	errs := options.CheckTypes(nil, v)
	if len(errs) == 0 {
		errs = options.Validate(nil, v)
	}
	if len(errs) > 0 {
		return doc.Value{}, status.BadRequest(errs.Error())
	}
	return v, nil
}
