package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

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

// check accepts a body that shall be of the subresource's kind.
func (s *Subresource) check(v doc.Value, o *WriteOptions) (doc.Value, error) {
	sent := v
	v, unknown := s.Schema.Prune(v)
	v = s.Schema.Default(v)
	if errs := s.Schema.CheckTypes(nil, v); len(errs) > 0 {
		err := schema.DecodingError(codec.AppendJSON(nil, sent), s.GoType)
		if err == nil {
			err = errs[0]
		}
		return doc.Value{}, Undecodable(s.Kind, sent, o, err)
	}
	if refused := o.report(unknown); refused != "" {
		return doc.Value{}, Undecodable(s.Kind, sent, o, errors.New(refused))
	}
	if errs := s.Schema.Validate(nil, v); len(errs) > 0 {
		return doc.Value{}, status.Invalid(s.Kind.GroupKind(), objectmeta.NameOf(v), errs)
	}
	return v, nil
}

// CallSubresource runs an action on an object. An absent answer is a plain success.
func (res *Resource) CallSubresource(ctx context.Context, sub *Subresource, namespace, name string, body doc.Value, o *WriteOptions) (doc.Value, error) {
	if err := res.CheckIdentity(body, namespace, name); err != nil {
		return doc.Value{}, err
	}
	body, err := sub.check(body, o)
	if err != nil {
		return doc.Value{}, err
	}
	if ctx, err = res.nest(ctx, namespace, name, o); err != nil {
		return doc.Value{}, err
	}
	record, err := res.Get(ctx, namespace, name, 0)
	if err != nil {
		return doc.Value{}, err
	}
	parent, _, err := codec.DecodeJSON(record.JSON)
	if err != nil {
		return doc.Value{}, fmt.Errorf("stored object %v: %w", record.Key, err)
	}
	if body, err = res.admitToSubresource(ctx, sub, parent, body, doc.Value{}, o); err != nil {
		return doc.Value{}, err
	}
	act := sub.Create
	if o.DryRun {
		act = sub.DryRun
	}
	answer, err := act(ctx, parent, body)
	if err != nil || answer.IsAbsent() {
		return doc.Value{}, err
	}
	return sub.named(answer, doc.Value{}), nil
}

// UpdateSubresource changes an object through its subresource: the subresource as it shall be changes the parent, which
// is stored as by any other update. It returns the subresource as it is then.
func (res *Resource) UpdateSubresource(ctx context.Context, sub *Subresource, namespace, name string, want Change, o WriteOptions) (doc.Value, error) {
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return doc.Value{}, err
	}
	ofParent := o
	ofParent.subresource = sub.Name
	ofParent.Problems, ofParent.Text, ofParent.FromPatch, ofParent.unconditional, ofParent.admitted = nil, nil, false, true, true
	done, err := res.Update(ctx, namespace, name, MainPart, func(old doc.Value) (doc.Value, error) {
		return res.throughSubresource(ctx, sub, old, want, &o)
	}, ofParent)
	if err != nil {
		return doc.Value{}, err
	}
	return sub.Show(ctx, done.JSON, sub.Written)
}

// throughSubresource returns the parent as it becomes when its subresource is changed.
func (res *Resource) throughSubresource(ctx context.Context, sub *Subresource, old doc.Value, want Change, o *WriteOptions) (doc.Value, error) {
	shown, err := sub.Written(ctx, old)
	if err != nil {
		return doc.Value{}, err
	}
	v := sub.named(shown, old)
	if o.FromPatch {
		v = sub.withoutCount(v, old).WithAt(sub.entriesOf(old), "metadata", objectmeta.ManagedFields)
	}
	if v, err = want(v); err != nil {
		return doc.Value{}, err
	}
	if o.FromPatch {
		if err := res.checkPatchedSubresource(sub, v, old, o); err != nil {
			return doc.Value{}, err
		}
		v = objectmeta.WithoutManagedFields(v)
	}
	if err := res.CheckIdentity(v, objectmeta.Of(old).Get(objectmeta.Namespace).Text(), objectmeta.Of(old).Get(objectmeta.Name).Text()); err != nil {
		return doc.Value{}, err
	}
	if v, err = sub.check(v, o); err != nil {
		return doc.Value{}, err
	}
	if v, err = res.admitToSubresource(ctx, sub, old, v, sub.named(shown, old), o); err != nil {
		return doc.Value{}, err
	}
	obj, err := sub.Update(ctx, old, v)
	if err != nil {
		return doc.Value{}, err
	}
	// The version that the client has seen is checked against the parent's.
	rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion)
	return res.WithKind(obj).WithAt(rv, "metadata", objectmeta.ResourceVersion), nil
}
