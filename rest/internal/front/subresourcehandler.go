package front

import (
	"context"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

// subresourceOfItem answers for a subresource of one object.
func (q *request) subresourceOfItem() error {
	sub := q.through
	if sub == nil {
		return q.noSubresource()
	}
	if sub.Bytes != nil {
		return q.stream(sub)
	}
	verb := kind.VerbOfObject(q.method())
	if verb == "" {
		return q.noSuchMethod()
	}
	if !sub.Has(verb) && q.res.Dialect.VerbsRefusedByRoute {
		return status.MethodNotAllowed()
	}
	if !sub.Has(verb) {
		return status.MethodNotSupported(q.res.GR, verb)
	}
	switch {
	case sub.History && verb == kind.Get:
		return q.getHistory()
	case sub.History:
		return q.purgeHistory()
	case verb == kind.Get && sub.OfItself:
		return q.get()
	case verb == kind.Get:
		return q.getSubresource(sub)
	case verb == kind.Create:
		return q.createSubresource(sub)
	case verb == kind.Update:
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
func (q *request) getSubresource(sub *Subresource) error {
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
	at := service.Address{Namespace: namespace, Name: name, Subresource: sub.Name}
	view, err := inTime(ctx, q, func(ctx context.Context) ([]byte, error) {
		return q.res.Service.Get(q.caller(ctx), at, q.query.Get("resourceVersion"))
	})
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, rep, view)
}

// createSubresource answers POST by running the action of a subresource.
func (q *request) createSubresource(sub *Subresource) error {
	c, err := q.beginWrite(actionForm)
	if err != nil {
		return err
	}
	defer c.cancel()
	if c.wanted.Asked.DryRun && !sub.RunsDry() {
		return status.BadRequest("dryRun is not supported")
	}
	if err := q.readObject(c); err != nil {
		return err
	}
	done, err := c.do(q)
	if err != nil {
		return err
	}
	if done.JSON == nil {
		return c.answerDone(q)
	}
	return q.writeJSON(http.StatusCreated, c.rep, done.JSON)
}
