package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// subresourceOfItem answers for a subresource of one object.
func (q *request) subresourceOfItem() error {
	sub := q.res.subresource(q.subresourceName())
	if sub == nil {
		return q.noSubresource()
	}
	if sub.bytes != nil {
		return q.stream(sub)
	}
	verb, known := map[string]Verb{http.MethodGet: Get, http.MethodPut: Update, http.MethodPatch: Patch, http.MethodPost: Create, http.MethodDelete: Delete}[q.method()]
	if !known {
		return q.noSuchMethod()
	}
	if !sub.has(string(verb)) && q.res.dialect.VerbsRefusedByRoute {
		return status.MethodNotAllowed()
	}
	if !sub.has(string(verb)) {
		return status.MethodNotSupported(q.res.gr, string(verb))
	}
	if !sub.ofItself {
		q.wire, q.sub = sub.wire, sub
	}
	switch {
	case sub.ofItself && verb == Get:
		return q.get()
	case sub.ofItself && verb == Update:
		return q.putPart(sub.part)
	case sub.ofItself:
		return q.patchPart(sub.part)
	case verb == Get:
		return q.getSubresource(sub)
	case verb == Create:
		return q.createSubresource(sub)
	default:
		return q.writeSubresource(sub, verb)
	}
}

func (q *request) subresourceName() string {
	if name := q.params.ByName(paramSubresource); name != "" {
		return name
	}
	// A literal one, of a resource called namespaces.
	path, _ := routePath(q.r.URL)
	path = strings.TrimPrefix(path, kind.Path(q.res.gvk.GroupVersion())+"/namespaces/"+q.params.ByName(paramNamespace)+"/")
	name, _, _ := strings.Cut(path, "/")
	return name
}

// belowSubresourceOfItem answers for a path below a subresource: some streams have them.
func (q *request) belowSubresourceOfItem() error {
	if !q.res.serves(q.subresourceName()) {
		return q.noSubresource()
	}
	return q.subresourceOfItem()
}

// noSubresource is the answer below an object where there is nothing. For custom resources it is the object that is said
// to be missing.
func (q *request) noSubresource() error {
	if q.res.dialect.ObjectBlamed {
		return q.res.notFound(q.params.ByName(paramName))
	}
	return status.ResourceNotFound()
}

func (q *request) getSubresource(sub *servedSubresource) error {
	if _, err := q.timeout(); err != nil {
		return err
	}
	rep, err := q.negotiate(oneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.object()
	if err != nil {
		return err
	}
	revision, err := readRevision(q.parameters().Get("resourceVersion"))
	if err != nil {
		return err
	}
	record, err := q.res.find(q.r.Context(), namespace, name, revision)
	if err != nil {
		return err
	}
	v, err := sub.show(q.r.Context(), record.JSON, sub.get)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, rep, codec.AppendObject(nil, v))
}

// show returns what the subresource shows of a stored parent, named like it. get is the subresource's get or written.
func (s *subresource) show(ctx context.Context, parentJSON []byte, get func(context.Context, doc.Value) (doc.Value, error)) (doc.Value, error) {
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
func (s *subresource) named(v, parent doc.Value) doc.Value {
	v = v.With("apiVersion", doc.Of(s.kind.GroupVersion().String())).With("kind", doc.Of(s.kind.Kind))
	if s.schema.Property("metadata") == nil {
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
func (s *subresource) check(v doc.Value, o *writeOptions) (doc.Value, error) {
	sent := v
	v, unknown := s.schema.Prune(v)
	v = s.schema.Default(v)
	if errs := s.schema.CheckTypes(nil, v); len(errs) > 0 {
		err := schema.DecodingError(codec.AppendJSON(nil, sent), s.goType)
		if err == nil {
			err = errs[0]
		}
		return doc.Value{}, undecodable(s.kind, sent, o, err)
	}
	if refused := o.report(unknown); refused != "" {
		return doc.Value{}, undecodable(s.kind, sent, o, errors.New(refused))
	}
	if errs := s.schema.Validate(nil, v); len(errs) > 0 {
		return doc.Value{}, status.Invalid(s.kind.GroupKind(), objectmeta.NameOf(v), errs)
	}
	return v, nil
}

func (q *request) createSubresource(sub *servedSubresource) error {
	c, err := q.beginWrite("CreateOptions", true)
	if err != nil {
		return err
	}
	defer c.cancel()
	if c.options.dryRun && sub.dryRun == nil {
		return status.BadRequest("dryRun is not supported")
	}
	body, err := q.decodeBody(sub.kind, q.res.dialect.KindRequired, &c.options)
	if err != nil {
		return err
	}
	answer, err := q.res.callSubresource(c.ctx, sub.subresource, c.namespace, c.name, body, &c.options)
	if err != nil {
		return err
	}
	if answer.IsAbsent() {
		done := status.Status{TypeMeta: apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: status.Success, Code: http.StatusCreated}
		c.rep.wire = statusWire()
		return q.writeOwn(http.StatusCreated, c.rep, &done)
	}
	return q.writeJSON(http.StatusCreated, c.rep, codec.AppendObject(nil, answer))
}

// callSubresource runs an action on an object. An absent answer is a plain success.
func (res *resource) callSubresource(ctx context.Context, sub *subresource, namespace, name string, body doc.Value, o *writeOptions) (doc.Value, error) {
	if err := res.checkIdentity(body, namespace, name); err != nil {
		return doc.Value{}, err
	}
	body, err := sub.check(body, o)
	if err != nil {
		return doc.Value{}, err
	}
	if ctx, err = res.nest(ctx, namespace, name, o); err != nil {
		return doc.Value{}, err
	}
	record, err := res.find(ctx, namespace, name, 0)
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
	act := sub.create
	if o.dryRun {
		act = sub.dryRun
	}
	answer, err := act(ctx, parent, body)
	if err != nil || answer.IsAbsent() {
		return doc.Value{}, err
	}
	return sub.named(answer, doc.Value{}), nil
}

// writeSubresource answers PUT and PATCH of a subresource.
func (q *request) writeSubresource(sub *servedSubresource, verb Verb) error {
	kind := "UpdateOptions"
	if verb == Patch {
		kind = "PatchOptions"
		if err := q.checkPatchType(q.res.patchTypesOf(sub.subresource)); err != nil {
			return err
		}
	}
	c, err := q.beginWrite(kind, true)
	if err != nil {
		return err
	}
	defer c.cancel()
	if q.applies() {
		return q.applySubresource(sub, c)
	}
	var want change
	if verb == Patch {
		c.options.fromPatch = true
		want, err = q.readPatch(sub.schema, &c.options)
	} else {
		var body doc.Value
		body, err = q.decodeBody(sub.kind, q.res.dialect.KindRequired && !sub.kindImplied, &c.options)
		if err == nil && objectmeta.NameOf(body) == "" && sub.kindImplied {
			err = nameUndeterminable(c.name)
		}
		want = func(doc.Value) (doc.Value, error) { return body, nil }
		c.options.uid = objectmeta.Of(body).Get(objectmeta.UID).Text()
	}
	if err != nil {
		return err
	}
	v, err := q.res.updateSubresource(c.ctx, sub.subresource, c.namespace, c.name, want, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, c.rep, codec.AppendObject(nil, v))
}

// updateSubresource changes an object through its subresource: the subresource as it shall be changes the parent, which
// is stored as by any other update. It returns the subresource as it is then.
func (res *resource) updateSubresource(ctx context.Context, sub *subresource, namespace, name string, want change, o writeOptions) (doc.Value, error) {
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return doc.Value{}, err
	}
	ofParent := o
	ofParent.subresource = sub.name
	ofParent.problems, ofParent.text, ofParent.fromPatch, ofParent.unconditional, ofParent.admitted = nil, nil, false, true, true
	done, err := res.update(ctx, namespace, name, mainPart, func(old doc.Value) (doc.Value, error) {
		return res.throughSubresource(ctx, sub, old, want, &o)
	}, ofParent)
	if err != nil {
		return doc.Value{}, err
	}
	return sub.show(ctx, done.json, sub.written)
}

// throughSubresource returns the parent as it becomes when its subresource is changed.
func (res *resource) throughSubresource(ctx context.Context, sub *subresource, old doc.Value, want change, o *writeOptions) (doc.Value, error) {
	shown, err := sub.written(ctx, old)
	if err != nil {
		return doc.Value{}, err
	}
	v := sub.named(shown, old)
	if o.fromPatch {
		v = sub.withoutCount(v, old).WithAt(sub.entriesOf(old), "metadata", objectmeta.ManagedFields)
	}
	if v, err = want(v); err != nil {
		return doc.Value{}, err
	}
	if o.fromPatch {
		if err := res.checkPatchedSubresource(sub, v, old, o); err != nil {
			return doc.Value{}, err
		}
		v = objectmeta.WithoutManagedFields(v)
	}
	if err := res.checkIdentity(v, objectmeta.Of(old).Get(objectmeta.Namespace).Text(), objectmeta.Of(old).Get(objectmeta.Name).Text()); err != nil {
		return doc.Value{}, err
	}
	if v, err = sub.check(v, o); err != nil {
		return doc.Value{}, err
	}
	if v, err = res.admitToSubresource(ctx, sub, old, v, sub.named(shown, old), o); err != nil {
		return doc.Value{}, err
	}
	obj, err := sub.update(ctx, old, v)
	if err != nil {
		return doc.Value{}, err
	}
	// The version that the client has seen is checked against the parent's.
	rv := objectmeta.Of(v).Get(objectmeta.ResourceVersion)
	return res.withKind(obj).WithAt(rv, "metadata", objectmeta.ResourceVersion), nil
}
