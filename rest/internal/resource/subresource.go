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

// RunsDry reports whether the action accepts a dry run.
func (s *Subresource) RunsDry() bool { return s.DryRun != nil || s.Claim != nil || s.Undo }

// Part is the part of an object that a write may change.
type Part int

const (
	// MainPart is the object without its status, or with it if the kind has no /status.
	MainPart Part = iota
	// StatusPart is the status.
	StatusPart
	// WholePart is what a subresource of a built-in kind, such as pods/resize, changes. It is the object without its status,
	// but unlike in a write of MainPart, the client owns the status that it sends.
	WholePart
	// finalizePart is what a namespace's /finalize changes.
	finalizePart
)

// Subresource has a path below that of an object: a part of the object, a view of it, an action on it, or a stream of
// bytes. Its functions work on documents. The object is their parent.
type Subresource struct {
	Name string
	// Kind, Schema and GoType describe the body and the answer. GoType is nil for a part of the object and for a stream.
	Kind   apimeta.GroupVersionKind
	Schema *schema.Schema
	GoType reflect.Type
	// Accepts are other versions of the kind that the body of an action may have.
	Accepts []apimeta.GroupVersion
	// Verbs are verbs of package kind.
	Verbs []string
	// OfItself says that the subresource is a Part of the object and has the object's own kind.
	OfItself bool
	Part     Part
	// KindImplied says that a body may leave out its apiVersion and kind, as bodies of upstream's own types may.
	KindImplied bool
	// History and Undo mark the subresources /history and /undo, whose functions are nil: see room past.
	History, Undo bool
	// Stream describes a subresource that carries bytes. Then all functions below are nil.
	Stream *kind.Stream

	// Get returns the view of a parent.
	Get func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Written returns the view of a parent that a client writes through the subresource.
	Written func(ctx context.Context, parent doc.Value) (doc.Value, error)
	// Update returns the parent with the changes of the view sub.
	Update func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// Check can refuse the body of an action on the object with this name. If it is nil, a body with another name is
	// refused.
	Check func(ctx context.Context, name string, sub doc.Value) error
	// Create runs the action on a parent. If the answer is absent, it is a plain success.
	Create func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// DryRun runs the action without effects. If it is nil, an action with a claim only tries the claim, and any other
	// action refuses a dry run.
	DryRun func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	// Claim returns the parent with the note that the action begins, and Settle with its outcome. The action has both
	// or neither.
	Claim  func(ctx context.Context, parent, sub doc.Value) (doc.Value, error)
	Settle func(ctx context.Context, parent, answer doc.Value, failure error) (doc.Value, error)
	// Applied is the path of the parent's field that a client owns if it applies spec.replicas through the subresource.
	// It is nil if nothing can be applied.
	Applied []string
}

// CheckSubresourceName refuses a name that a host's subresource cannot have.
func CheckSubresourceName(name string) error {
	if name == "status" || len(apimeta.ValidateDNS1123Label(name)) > 0 {
		return fmt.Errorf("subresource %q: the name must be a lower-case word other than 'status'", name)
	}
	return nil
}

// Has reports whether the subresource has a verb.
func (s *Subresource) Has(verb string) bool { return slices.Contains(s.Verbs, verb) }

// Show returns the view of a stored parent, with the parent's name. get is Get or Written of the subresource.
func (s *Subresource) Show(
	ctx context.Context, parentJSON []byte, get func(context.Context, doc.Value) (doc.Value, error),
) (doc.Value, error) {
	parent, _, err := codec.DecodeJSON(parentJSON)
	if err != nil {
		return doc.Value{}, fmt.Errorf("stored object: %w", err)
	}
	v, err := get(ctx, parent)
	if err != nil {
		return doc.Value{}, err
	}
	return s.Named(v, parent), nil
}

// Named sets the kind of a view and, if its type has metadata, the identity of its parent.
func (s *Subresource) Named(v, parent doc.Value) doc.Value {
	v = v.With("apiVersion", doc.Of(s.Kind.GroupVersion().String())).With("kind", doc.Of(s.Kind.Kind))
	if s.Schema.Property("metadata") == nil {
		return v
	}
	m := objectmeta.Of(v)
	for _, field := range objectmeta.Fields {
		if field.InViews && m.Get(field.Name).Text() == "" {
			m = m.With(field.Name, objectmeta.Of(parent).Get(field.Name))
		}
	}
	return v.With("metadata", m)
}
