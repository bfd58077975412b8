package rest

import (
	"fmt"
	"net/http"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// put answers PUT of an object.
func (q *request) put() error { return q.putPart(mainPart) }

func (q *request) putPart(which part) error {
	o, err := q.writeParameters("UpdateOptions")
	if err != nil {
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
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	obj, err := q.decodeBody(q.res.gvk, q.res.kindRequired, &o)
	if err != nil {
		return err
	}
	if nameOf(obj) == "" {
		return status.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	}
	if err := q.res.checkIdentity(obj, namespace, name); err != nil {
		return err
	}
	done, err := q.res.update(ctx, namespace, name, which, func(doc.Value) (doc.Value, error) { return obj, nil }, o)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if done.created {
		code = http.StatusCreated
	}
	return q.writeObject(code, rep, done.json)
}

// checkIdentity compares the name and namespace in a body with those of the URL.
func (res *resource) checkIdentity(obj doc.Value, namespace, name string) error {
	if n := nameOf(obj); n != "" && n != name {
		return status.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", n, name))
	}
	return res.checkNamespace(obj, namespace)
}

func (res *resource) checkNamespace(obj doc.Value, namespace string) error {
	if n := metadataOf(obj).Get(fieldNamespace).Text(); res.namespaced && n != "" && n != namespace {
		return status.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
