package rest

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// subresourceOfItem answers for a subresource of one object.
func (q *request) subresourceOfItem() error {
	sub := q.through
	if sub == nil {
		return q.noSubresource()
	}
	if sub.bytes != nil {
		return q.stream(sub)
	}
	verb, known := map[string]access.Verb{http.MethodGet: access.VerbGet, http.MethodPut: access.VerbUpdate, http.MethodPatch: access.VerbPatch,
		http.MethodPost: access.VerbCreate, http.MethodDelete: access.VerbDelete}[q.method()]
	if !known {
		return q.noSuchMethod()
	}
	if !sub.Has(string(verb)) && q.res.Dialect.VerbsRefusedByRoute {
		return status.MethodNotAllowed()
	}
	if !sub.Has(string(verb)) {
		return status.MethodNotSupported(q.res.GR, string(verb))
	}
	switch {
	case sub.History && verb == access.VerbGet:
		return q.getHistory()
	case sub.History:
		return q.purgeHistory()
	case verb == access.VerbGet && sub.OfItself:
		return q.get()
	case verb == access.VerbGet:
		return q.getSubresource(sub)
	case verb == access.VerbCreate:
		return q.createSubresource(sub)
	case verb == access.VerbUpdate:
		return q.put()
	default:
		return q.patch()
	}
}

// belowSubresourceOfItem answers for a path below a subresource. Only some streams have such paths.
func (q *request) belowSubresourceOfItem() error {
	if !q.res.Serves(q.at.subresource) {
		return q.noSubresource()
	}
	return q.subresourceOfItem()
}

// noSubresource answers for an unknown subresource. For custom resources the error says that the object is missing, as
// kube-apiserver does.
func (q *request) noSubresource() error {
	if q.res.Dialect.ObjectBlamed {
		return q.res.NotFound(q.at.name)
	}
	return status.ResourceNotFound()
}

// getSubresource answers GET of a subresource that is not a part of the object.
func (q *request) getSubresource(sub *servedSubresource) error {
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	rep, err := q.negotiate(media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.objectName()
	if err != nil {
		return err
	}
	revision, err := resource.ReadRevision(q.query.Get("resourceVersion"))
	if err != nil {
		return err
	}
	record, err := q.res.Get(ctx, resource.Target{Namespace: namespace, Name: name, Only: q.only}, revision)
	if err != nil {
		return err
	}
	v, err := inTime(write.In(ctx, q.api.env), q,
		func(ctx context.Context) (doc.Value, error) { return sub.Show(ctx, record.JSON, sub.Get) })
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, rep, codec.AppendObject(nil, v))
}

// createSubresource answers POST by running the action of a subresource.
func (q *request) createSubresource(sub *servedSubresource) error {
	c, err := q.beginWrite(actionForm)
	if err != nil {
		return err
	}
	defer c.cancel()
	if c.Asked.DryRun && !sub.RunsDry() {
		return status.BadRequest("dryRun is not supported")
	}
	body, err := q.decodeBody(c.Write)
	if err != nil {
		return err
	}
	answer, err := inTime(c.ctx, q, func(ctx context.Context) (doc.Value, error) { return c.Call(ctx, body) })
	if err != nil {
		return err
	}
	if answer.IsAbsent() {
		return c.answerDone(q)
	}
	return q.writeJSON(http.StatusCreated, c.rep, codec.AppendObject(nil, answer))
}
