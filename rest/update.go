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
	c, err := q.beginWrite("UpdateOptions", true)
	if err != nil {
		return err
	}
	defer c.cancel()
	obj, err := q.decodeBody(q.res.gvk, q.res.kindRequired, &c.options)
	if err != nil {
		return err
	}
	if nameOf(obj) == "" {
		return nameUndeterminable(c.name)
	}
	if err := q.res.checkIdentity(obj, c.namespace, c.name); err != nil {
		return err
	}
	c.options.uid = metadataOf(obj).Get(fieldUID).Text()
	done, err := q.res.update(c.ctx, c.namespace, c.name, which, func(doc.Value) (doc.Value, error) { return obj, nil }, c.options)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if done.created {
		code = http.StatusCreated
	}
	return q.writeObject(code, c.rep, done.json)
}

// nameUndeterminable is the answer to an object without a name.
func nameUndeterminable(name string) error {
	return status.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
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
