package rest

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/body"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// writeCall is a write over HTTP: the write itself, the form of its answer, and the context that bounds its time.
type writeCall struct {
	*write.Write
	rep    *media.Representation
	ctx    context.Context
	cancel context.CancelFunc
}

// writeForm is what the handlers of writes differ in before the body is read.
type writeForm struct {
	options   string // the kind of the options in the query, for errors
	ofItem    bool   // the URL names an object
	patches   bool   // the body is a patch or an applied configuration
	typeFirst bool   // the type of the body is checked before the options
}

var (
	createForm = writeForm{options: "CreateOptions", typeFirst: true}
	actionForm = writeForm{options: "CreateOptions", typeFirst: true, ofItem: true}
	updateForm = writeForm{options: "UpdateOptions", ofItem: true}
	patchForm  = writeForm{options: "PatchOptions", ofItem: true, patches: true}
)

// beginWrite reads the parts of a write in the URL and the headers. If err is nil, the caller must call cancel.
func (q *request) beginWrite(form writeForm) (c writeCall, err error) {
	t := resource.Target{Only: q.only}
	if form.ofItem {
		t.Namespace, t.Name, err = q.objectName()
	} else {
		t.Namespace, err = q.namespace()
	}
	if err != nil {
		return c, err
	}
	t.Through = q.through.target()
	if c.rep, err = q.negotiate(media.OneObject); err != nil {
		return c, err
	}
	if form.typeFirst {
		if err = q.checkBodyType(); err != nil {
			return c, err
		}
	}
	asked, err := q.writeParameters(form)
	if err != nil {
		return c, err
	}
	c.Write = q.api.writes.New(q.res.Resource, t, asked)
	c.Warnings = &q.warnings
	if q.api.options.Authorizer != nil {
		c.MayCreate = func(ctx context.Context) (*rights.Restriction, error) { return q.permitVerb(ctx, kind.Create) }
	}
	c.ctx, c.cancel, err = q.withTimeout()
	return c, err
}

// checkBodyType refuses a body whose media type the API does not read for this kind.
func (q *request) checkBodyType() error {
	is := body.Type(q.r)
	if !slices.Contains(q.api.types.Served, is) || is == media.Protobuf && q.kind().Message == nil {
		return status.UnsupportedMediaType(q.api.types.Served)
	}
	return nil
}

// decodeBody reads the body of a write, and notes duplicate keys in w.
func (q *request) decodeBody(w *write.Write) (doc.Value, error) {
	if err := q.checkBodyType(); err != nil {
		return doc.Value{}, err
	}
	data, err := q.readBody()
	if err != nil {
		return doc.Value{}, err
	}
	f := q.bodyFormat(q.kind().Message)
	f.IntoStruct = q.res.Dialect.BodiesAreStructs || w.Kind() != q.res.GVK // the kinds of subresources have Go types in both dialects
	f.Validation = w.Asked.Validation
	obj, known := doc.Value{}, false
	if f.Type == media.JSON && !f.IntoStruct {
		obj, known = q.res.DecodeSent(q.r.Context(), q.res.Key(w.Namespace, w.Name), data)
	}
	if !known {
		obj, err = f.Decode(data, &w.Body)
	}
	var beyond *codec.RangeError
	switch {
	case errors.As(err, &beyond):
		return doc.Value{}, write.Undecodable(w.Kind(), beyond)
	case err != nil:
		return doc.Value{}, write.Unrecognized(w.Kind().Kind, err, data)
	}
	q.observed.decoded(obj, f.Type == media.JSON)
	return w.CheckKind(obj, data, f.JSON(obj, data))
}

// target returns the subresource that a write addresses, or nil for the object itself.
func (sub *servedSubresource) target() *resource.Subresource {
	if sub == nil {
		return nil
	}
	return sub.Subresource
}

// answerDone answers a POST that had an effect and has no object to show.
func (c *writeCall) answerDone(q *request) error {
	done := status.Status{TypeMeta: apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: status.Success,
		Code: http.StatusCreated}
	return q.writeOwn(http.StatusCreated, c.rep.OfStatus(), &done)
}

// answer sends the object that the write has stored, with 201 if the write created it.
func (c *writeCall) answer(q *request, done write.Result) error {
	code := http.StatusOK
	if done.Created {
		code = http.StatusCreated
	}
	return q.writeObject(code, c.rep, done.JSON)
}

// create answers POST of a collection.
func (q *request) create() error {
	c, err := q.beginWrite(createForm)
	if err != nil {
		return err
	}
	defer c.cancel()
	if q.res.Kind.Namespaced && c.Namespace == "" {
		return status.MethodNotAllowed()
	}
	obj, err := q.decodeBody(c.Write)
	if err != nil {
		return err
	}
	c.Replace(obj)
	done, err := inTime(c.ctx, q, c.Create)
	if err != nil {
		return err
	}
	if q.res.Traits.AnswerStatus {
		return c.answerDone(q)
	}
	return c.answer(q, done)
}

// put answers PUT of an object or of one of its subresources.
func (q *request) put() error {
	c, err := q.beginWrite(updateForm)
	if err != nil {
		return err
	}
	defer c.cancel()
	obj, err := q.decodeBody(c.Write)
	if err != nil {
		return err
	}
	if q.through != nil && q.through.KindImplied && objectmeta.NameOf(obj) == "" {
		return write.NameUndeterminable(c.Name)
	}
	c.Replace(obj)
	done, err := inTime(c.ctx, q, c.Update)
	if err != nil {
		return err
	}
	return c.answer(q, done)
}

// patch answers PATCH of an object or of one of its subresources.
func (q *request) patch() error {
	if err := q.checkPatchType(q.res.PatchTypes(q.through.target())); err != nil {
		return err
	}
	c, err := q.beginWrite(patchForm)
	if err != nil {
		return err
	}
	defer c.cancel()
	data, err := q.readBody()
	if err != nil {
		return err
	}
	switch contentType := body.Type(q.r); contentType {
	case media.ApplyCBOR:
		if data, err = q.api.options.CBOR.ToJSON(data); err != nil {
			return status.BadRequest("error decoding patch: " + err.Error())
		}
		err = c.ApplyText(data)
	case kind.ApplyPatch:
		err = c.ApplyText(data)
	default:
		err = c.Patch(contentType, data)
	}
	if err != nil {
		return err
	}
	done, err := inTime(c.ctx, q, c.Update)
	if err != nil {
		return err
	}
	return c.answer(q, done)
}

// applies reports whether the request applies a configuration, as opposed to a patch.
func (q *request) applies() bool {
	is := body.Type(q.r)
	return q.r.Method == http.MethodPatch && (is == kind.ApplyPatch || is == media.ApplyCBOR)
}

// checkPatchType refuses a body whose media type is not a patch. It runs before all other checks of the request.
func (q *request) checkPatchType(types []string) error {
	if q.api.options.CBOR != nil && slices.Contains(types, kind.ApplyPatch) {
		types = append(types, media.ApplyCBOR)
	}
	switch {
	case q.r.Header.Get("Content-Type") != "" && slices.Contains(types, body.Type(q.r)):
		return nil
	case q.res.Dialect.MediaRefusedByRoute:
		err := status.UnsupportedMediaType(types)
		err.Status.Message = "415: Unsupported Media Type"
		return err
	}
	return status.UnsupportedMediaType(types)
}
