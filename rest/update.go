package rest

import (
	"fmt"
	"net/http"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
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
	obj, err := q.decodeBody(q.res.gvk, q.res.dialect.KindRequired, &c.options)
	if err != nil {
		return err
	}
	if err := q.res.checkNamespace(obj, c.namespace); err != nil {
		return q.res.bodyFirst(obj, c.options, err)
	}
	if objectmeta.NameOf(obj) == "" {
		return q.res.bodyFirst(obj, c.options, nameUndeterminable(c.name))
	}
	if err := q.res.checkIdentity(obj, c.namespace, c.name); err != nil {
		return q.res.bodyFirst(obj, c.options, err)
	}
	c.options.uid = objectmeta.Of(obj).Get(objectmeta.UID).Text()
	done, err := q.res.update(c.ctx, c.namespace, c.name, which, func(doc.Value) (doc.Value, error) { return obj, nil }, c.options)
	if status.IsNotFound(err) || status.IsConflict(err) {
		return q.res.bodyFirst(obj, c.options, err)
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if done.created {
		code = http.StatusCreated
	}
	return q.writeObject(code, c.rep, done.json)
}

// bodyFirst returns what is wrong with a body, or err where nothing is: a body that cannot be decoded is told before anything
// that is found by comparing it with something else.
func (res *resource) bodyFirst(obj doc.Value, o writeOptions, err error) error {
	o.reset()
	admitted, bad := res.admit(obj, &o)
	if bad != nil {
		return bad
	}
	return res.typesFirst(admitted, &o, err)
}

// typesFirst is bodyFirst for a body that has been admitted.
func (res *resource) typesFirst(admitted doc.Value, o *writeOptions, err error) error {
	if !res.dialect.TypesFirst {
		return err
	}
	if errs := res.schema.CheckTypes(nil, admitted); len(errs) > 0 {
		return res.wrongType(admitted, errs, o)
	}
	return err
}

// nameUndeterminable is the answer to an object without a name.
func nameUndeterminable(name string) error {
	return status.BadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
}

// checkIdentity compares the name and namespace in a body with those of the URL.
func (res *resource) checkIdentity(obj doc.Value, namespace, name string) error {
	if err := res.checkNamespace(obj, namespace); err != nil {
		return err
	}
	if n := objectmeta.NameOf(obj); n != "" && n != name {
		return status.BadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", n, name))
	}
	return nil
}

func (res *resource) checkNamespace(obj doc.Value, namespace string) error {
	if n := objectmeta.Of(obj).Get(objectmeta.Namespace).Text(); res.kind.Namespaced && n != "" && n != namespace {
		return status.BadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
