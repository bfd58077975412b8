package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/status"
)

// create answers POST to a collection.
func (q *request) create() error {
	c, err := q.beginWrite("CreateOptions", false)
	if err != nil {
		return err
	}
	defer c.cancel()
	if q.res.Kind.Namespaced && c.namespace == "" {
		return status.MethodNotAllowed()
	}
	obj, err := q.decodeBody(q.res.GVK, q.res.Dialect.KindRequired, &c.options)
	if err != nil {
		return err
	}
	if err := q.res.CheckNamespace(obj, c.namespace); err != nil {
		return q.res.BodyFirst(obj, c.options, err)
	}
	done, err := q.res.Create(c.ctx, c.namespace, obj, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusCreated, c.rep, done.JSON)
}
