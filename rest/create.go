package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/status"
)

// create answers POST to a collection.
func (q *request) create() error {
	o, err := q.writeParameters("CreateOptions")
	if err != nil {
		return err
	}
	rep, err := q.negotiate(oneObject)
	if err != nil {
		return err
	}
	namespace, err := q.namespace()
	if err != nil {
		return err
	}
	if q.res.namespaced && namespace == "" {
		return status.MethodNotAllowed()
	}
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	obj, err := q.decodeBody(q.res.gvk, q.res.kindRequired, &o)
	if err != nil {
		return err
	}
	if err := q.res.checkNamespace(obj, namespace); err != nil {
		return err
	}
	done, err := q.res.create(ctx, namespace, obj, o)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusCreated, rep, done.json)
}
