package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

// patchTypesOf are the media types that a PATCH of a subresource with a kind of its own takes. What a subresource shows has
// no managedFields; only what is known to be a field of the object can be applied through it.
func (res *resource) patchTypesOf(sub *subresource) []string {
	types := res.patchTypes()
	if sub.applied == nil {
		types = slices.DeleteFunc(types, func(t string) bool { return t == kind.ApplyPatch })
	}
	return types
}

// applySubresource answers an apply to /scale.
func (q *request) applySubresource(sub *servedSubresource, c writeCall) error {
	config, err := q.readConfiguration(&c.options)
	if err != nil {
		return err
	}
	v, err := q.res.applyScale(c.ctx, sub.subresource, c.namespace, c.name, config, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, c.rep, codec.AppendObject(nil, v))
}

// applyScale applies a Scale: the object's own field of replicas is what its manager owns, in an entry for the
// subresource.
func (res *resource) applyScale(ctx context.Context, sub *subresource, namespace, name string, c configuration, o writeOptions) (doc.Value, error) {
	if err := managed.NewKind(sub.schema, sub.kind, doc.Value{}, nil).Check(c.config); err != nil {
		return doc.Value{}, err
	}
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return doc.Value{}, err
	}
	o.subresource, o.unconditional, o.admitted = sub.name, true, true
	c.config = res.bare().With("metadata", objectmeta.Of(c.config)).WithAt(c.config.Lookup("spec", "replicas"), sub.applied...)
	c.check = func(ctx context.Context, old, obj doc.Value) (doc.Value, error) {
		return res.checkThrough(ctx, sub, old, obj, &o)
	}
	done, err := res.apply(ctx, namespace, name, mainPart, c, o)
	if err != nil {
		return doc.Value{}, err
	}
	return sub.show(ctx, done.json, sub.written)
}

// withoutCount marks in a Scale that is to be patched that its parent has no count.
func (s *subresource) withoutCount(v, parent doc.Value) doc.Value {
	if s.applied == nil || !parent.Lookup(s.applied...).IsAbsent() {
		return v
	}
	return v.WithAt(doc.OfInt(noCount), "spec", "replicas")
}

// entriesOf are the managedFields of an object as what the subresource shows has them: who owns the count.
func (s *subresource) entriesOf(parent doc.Value) doc.Value {
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
			entries = append(entries, e.With("apiVersion", doc.Of(s.kind.GroupVersion().String())).
				With("fieldsV1", doc.MapOf().WithAt(doc.MapOf(), "f:spec", "f:replicas")))
		}
	}
	if len(entries) == 0 {
		return doc.Value{}
	}
	return doc.ListOf(entries...)
}

// checkThrough checks an object as its subresource shows it, and lets the hooks change and judge that.
func (res *resource) checkThrough(ctx context.Context, sub *subresource, old, obj doc.Value, o *writeOptions) (doc.Value, error) {
	shown, err := sub.written(ctx, old)
	if err != nil {
		return doc.Value{}, err
	}
	v, err := sub.written(ctx, res.schema.Default(obj)) // a count that nobody owns any more is the default again
	if err != nil {
		return doc.Value{}, err
	}
	if v, err = sub.check(sub.named(v, obj), &writeOptions{validation: validationIgnore}); err != nil {
		return doc.Value{}, err
	}
	admitted, err := res.admitToSubresource(ctx, sub, old, v, sub.named(shown, old), o)
	if err != nil || doc.Equal(admitted, v) && obj.Lookup(sub.applied...).IsAbsent() {
		return obj, err
	}
	return sub.update(ctx, obj, admitted)
}
