package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// put answers PUT of an object.
func (q *request) put() error { return q.putPart(resource.MainPart) }

func (q *request) putPart(which resource.Part) error {
	c, err := q.beginWrite("UpdateOptions", true)
	if err != nil {
		return err
	}
	defer c.cancel()
	obj, err := q.decodeBody(q.res.GVK, q.res.Dialect.KindRequired, &c.options)
	if err != nil {
		return err
	}
	if err := q.res.CheckNamespace(obj, c.namespace); err != nil {
		return q.res.BodyFirst(obj, c.options, err)
	}
	if objectmeta.NameOf(obj) == "" {
		return q.res.BodyFirst(obj, c.options, resource.NameUndeterminable(c.name))
	}
	if err := q.res.CheckIdentity(obj, c.namespace, c.name); err != nil {
		return q.res.BodyFirst(obj, c.options, err)
	}
	c.options.UID = objectmeta.Of(obj).Get(objectmeta.UID).Text()
	done, err := q.res.Update(c.ctx, c.namespace, c.name, which, func(doc.Value) (doc.Value, error) { return obj, nil }, c.options)
	if status.IsNotFound(err) || status.IsConflict(err) {
		return q.res.BodyFirst(obj, c.options, err)
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if done.Created {
		code = http.StatusCreated
	}
	return q.writeObject(code, c.rep, done.JSON)
}
