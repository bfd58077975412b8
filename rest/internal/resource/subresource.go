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
)

// Subresource is a Subresource with its types forgotten: it reads and changes documents of the parent.
type Subresource struct {
	Name   string
	Kind   apimeta.GroupVersionKind
	Schema *schema.Schema
	Verbs  []string
	// Get returns what the subresource shows of a parent.
	Get func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Written returns what the subresource shows of a parent that is written through it.
	Written func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Update returns the parent as it becomes when the subresource is like sub.
	Update func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// Create runs an action on a parent; an absent answer is a plain success.
	Create func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// DryRun is create without effects; nil where there is no such thing.
	DryRun func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// GoType is the subresource's type; nil for a part of the object and for bytes.
	GoType reflect.Type
	// stream: the subresource carries bytes, and has nothing of the above but its name, its kind and its verbs.
	Stream *kind.Stream
	// kindImplied: a body need not name its apiVersion and kind, as of all types that the API server brings.
	KindImplied bool
	// applied is the field of the parent that is owned by who applies spec.replicas; nil where nothing can be applied.
	applied []string
	// ofItself: the subresource is a part of the object, of the same kind, served by the pipeline itself.
	OfItself bool
	Part     Part
}

func CheckSubresourceName(name string) error {
	if name == "status" || len(apimeta.ValidateDNS1123Label(name)) > 0 {
		return fmt.Errorf("subresource %q: the name must be a lower-case word other than 'status'", name)
	}
	return nil
}

// Has reports whether the subresource has a verb.
func (s *Subresource) Has(verb string) bool { return slices.Contains(s.Verbs, verb) }

// Show returns what the subresource shows of a stored parent, named like it. get is the subresource's get or written.
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
