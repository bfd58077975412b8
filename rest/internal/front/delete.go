package front

import (
	"context"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// delete handles a DELETE of an object. The answer is a Status if the object is gone, and the object if something still
// holds it or the resource sets Wire.ReturnDeleted.
func (q *request) delete() error {
	rep, err := q.negotiate(media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.objectName()
	if err != nil {
		return err
	}
	by := q.caller(q.r.Context())
	options, err := q.deleteOptions()
	if err == nil {
		by.Only, err = q.permitUnsafe(options)
	}
	if err != nil {
		return err
	}
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	w, err := q.res.Service.Begin(q.r.Context(), q.deletion(kind.Delete, namespace, name, options))
	if err != nil {
		return err
	}
	done, err := inTime(ctx, q, func(ctx context.Context) (write.Result, error) {
		by.Context = ctx
		return w.Do(by)
	})
	if err != nil {
		return err
	}
	if done.Gone && done.JSON == nil {
		deleted := status.Deleted(q.res.GR, name, done.UID)
		q.observed.answeredStatus(deleted)
		return q.writeOwn(http.StatusOK, rep.OfStatus(), deleted)
	}
	code := http.StatusOK
	if options.OrphanDependents != nil && !*options.OrphanDependents && !done.Gone {
		code = http.StatusAccepted
	}
	return q.writeObject(code, rep, done.JSON)
}

// deletion is the write that deletes an object, or each object of a collection.
func (q *request) deletion(verb, namespace, name string, options apimeta.DeleteOptions) *service.Wanted {
	return &service.Wanted{
		Address: service.Address{Namespace: namespace, Name: name}, Verb: verb, Deletion: options,
		Asked: write.Asked{DryRun: len(options.DryRun) > 0}, Warnings: &q.warnings,
	}
}

// deleteOptions reads DeleteOptions from the body, or from the query if the request has no body.
func (q *request) deleteOptions() (apimeta.DeleteOptions, error) {
	var o apimeta.DeleteOptions
	data, err := q.readBody()
	if err != nil {
		return o, err
	}
	if len(data) > 0 {
		o, err = q.decodeDeleteOptions(data)
	} else {
		o, err = queryDeleteOptions(q.query)
	}
	if err != nil {
		return o, err
	}
	if !q.res.UnsafeDeletion { // dropped before the options are validated, as upstream: the rest is an ordinary deletion
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	}
	return o, write.ValidateDeleteOptions(o)
}

// permitUnsafe asks whether the user may delete an object that cannot be read, if the options say so. It returns the
// restriction under which the user may delete the object.
func (q *request) permitUnsafe(o apimeta.DeleteOptions) (*rights.Restriction, error) {
	if unsafe := o.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe == nil || !*unsafe {
		return q.only, nil
	}
	only, err := q.permitVerb(q.r.Context(), "unsafe-delete-ignore-read-errors")
	return q.only.And(only), err
}

func (q *request) decodeDeleteOptions(data []byte) (o apimeta.DeleteOptions, err error) {
	f := q.bodyFormat(media.Described(codec.DeleteOptionsMessage()))
	if !slices.Contains(q.api.types.Served, f.Type) {
		return o, status.UnsupportedMediaType(q.api.types.Served)
	}
	f.IntoStruct = true
	options, err := f.Decode(data, new(write.Body))
	if err != nil {
		return o, status.BadRequest(err.Error())
	}
	return write.ReadDeleteOptions(options, f.JSON(options, data))
}

// deleteCollection answers DELETE of a collection with the list of the objects that it has deleted.
func (q *request) deleteCollection() error {
	rep, err := q.negotiate(media.DeletedObjects)
	if err != nil {
		return err
	}
	namespace, err := q.namespace()
	if err != nil {
		return err
	}
	if q.res.Kind.Namespaced && namespace == "" {
		return status.MethodNotAllowed()
	}
	p, err := q.listParameters()
	if err == nil {
		err = p.Query.CheckUnsorted() // a client may not know in which order the server deletes
	}
	if err != nil {
		return err
	}
	options, err := q.deleteOptions()
	if err != nil {
		return err
	}
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	w := q.deletion(kind.DeleteCollection, namespace, "", options)
	deleted, err := inTime(ctx, q, func(ctx context.Context) (service.Page, error) {
		return q.res.Service.DeleteCollection(q.caller(ctx), w, service.Parsed(p), service.Into{})
	})
	if err != nil {
		return err
	}
	return q.writeList(rep, deleted.Page)
}
