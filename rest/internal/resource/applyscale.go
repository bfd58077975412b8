package resource

import (
	"context"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// PatchTypesOf are the media types that a PATCH of a subresource with a kind of its own takes. What a subresource shows has
// no managedFields; only what is known to be a field of the object can be applied through it.
func (res *Resource) PatchTypesOf(sub *Subresource) []string {
	types := res.PatchTypes()
	if sub.applied == nil {
		types = slices.DeleteFunc(types, func(t string) bool { return t == kind.ApplyPatch })
	}
	return types
}

// ApplyScale applies a Scale: the object's own field of replicas is what its manager owns, in an entry for the
// subresource.
func (res *Resource) ApplyScale(ctx context.Context, sub *Subresource, namespace, name string, c Configuration, o WriteOptions) (doc.Value, error) {
	if err := managed.NewKind(sub.Schema, sub.Kind, doc.Value{}, nil).Check(c.Config); err != nil {
		return doc.Value{}, err
	}
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return doc.Value{}, err
	}
	o.subresource, o.unconditional, o.admitted = sub.Name, true, true
	c.Config = res.bare().With("metadata", objectmeta.Of(c.Config)).WithAt(c.Config.Lookup("spec", "replicas"), sub.applied...)
	c.check = func(ctx context.Context, old, obj doc.Value) (doc.Value, error) {
		return res.checkThrough(ctx, sub, old, obj, &o)
	}
	done, err := res.Apply(ctx, namespace, name, MainPart, c, o)
	if err != nil {
		return doc.Value{}, err
	}
	return sub.Show(ctx, done.JSON, sub.Written)
}

// withoutCount marks in a Scale that is to be patched that its parent has no count.
func (s *Subresource) withoutCount(v, parent doc.Value) doc.Value {
	if s.applied == nil || !parent.Lookup(s.applied...).IsAbsent() {
		return v
	}
	return v.WithAt(doc.OfInt(noCount), "spec", "replicas")
}

// entriesOf are the managedFields of an object as what the subresource shows has them: who owns the count.
func (s *Subresource) entriesOf(parent doc.Value) doc.Value {
	if s.applied == nil {
		return doc.Value{}
	}
	path := make([]string, len(s.applied))
	for i, name := range s.applied {
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

// checkThrough checks an object as its subresource shows it, and lets the hooks change and judge that.
func (res *Resource) checkThrough(ctx context.Context, sub *Subresource, old, obj doc.Value, o *WriteOptions) (doc.Value, error) {
	shown, err := sub.Written(ctx, old)
	if err != nil {
		return doc.Value{}, err
	}
	v, err := sub.Written(ctx, res.Schema.Default(obj)) // a count that nobody owns any more is the default again
	if err != nil {
		return doc.Value{}, err
	}
	if v, err = sub.check(sub.named(v, obj), &WriteOptions{Validation: ValidationIgnore}); err != nil {
		return doc.Value{}, err
	}
	admitted, err := res.admitToSubresource(ctx, sub, old, v, sub.named(shown, old), o)
	if err != nil || doc.Equal(admitted, v) && obj.Lookup(sub.applied...).IsAbsent() {
		return obj, err
	}
	return sub.Update(ctx, obj, admitted)
}
