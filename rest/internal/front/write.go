package front

import (
	"context"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/body"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// writeCall is a write over HTTP: what the client wants, the form of the answer, and the context that bounds its time.
type writeCall struct {
	wanted service.Wanted
	sent   service.Body // the body, if it is an object
	rep    *media.Representation
	ctx    context.Context
	cancel context.CancelFunc
}

// writeForm is what the handlers of writes differ in before the body is read.
type writeForm struct {
	options   string // the kind of the options in the query, for errors
	verb      string // of package kind
	ofItem    bool   // the URL names an object
	patches   bool   // the body is a patch or an applied configuration
	typeFirst bool   // the type of the body is checked before the options
}

var (
	createForm = writeForm{options: "CreateOptions", verb: kind.Create, typeFirst: true}
	actionForm = writeForm{options: "CreateOptions", verb: kind.Create, typeFirst: true, ofItem: true}
	updateForm = writeForm{options: "UpdateOptions", verb: kind.Update, ofItem: true}
	patchForm  = writeForm{options: "PatchOptions", verb: kind.Patch, ofItem: true, patches: true}
)

// beginWrite reads the parts of a write in the URL and the headers. If err is nil, the caller must call cancel.
func (q *request) beginWrite(form writeForm) (c *writeCall, err error) {
	c = &writeCall{wanted: service.Wanted{Verb: form.verb, Warnings: &q.warnings}}
	w := &c.wanted
	if form.ofItem {
		w.Namespace, w.Name, err = q.objectName()
	} else {
		w.Namespace, err = q.namespace()
	}
	if err != nil {
		return c, err
	}
	if q.through != nil {
		w.Subresource = q.through.Name
	}
	if c.rep, err = q.negotiate(media.OneObject); err != nil {
		return c, err
	}
	if form.typeFirst {
		if err = q.checkBodyType(); err != nil {
			return c, err
		}
	}
	if w.Asked, err = q.writeParameters(form); err != nil {
		return c, err
	}
	c.ctx, c.cancel, err = q.withTimeout()
	return c, err
}

// checkBodyType refuses a body whose media type the API does not read for this kind.
func (q *request) checkBodyType() error {
	if !q.api.types.Reads(body.Type(q.r), q.kind()) {
		return status.UnsupportedMediaType(q.api.types.Served)
	}
	return nil
}

// readObject reads the body of a write that has an object.
func (q *request) readObject(c *writeCall) error {
	if err := q.checkBodyType(); err != nil {
		return err
	}
	data, err := q.readBody()
	if err != nil {
		return err
	}
	c.sent = service.Body{Format: q.bodyFormat(q.kind().Message), Data: data}
	if q.observed != nil {
		c.sent.Decoded = func(obj doc.Value) { q.observed.decoded(obj, c.sent.Type == media.JSON) }
	}
	c.wanted.Body = &c.sent
	return nil
}

// do carries out the write, once its body has been read.
func (c *writeCall) do(q *request) (write.Result, error) {
	w, err := q.res.Service.Begin(q.r.Context(), &c.wanted)
	if err != nil {
		return write.Result{}, err
	}
	return inTime(c.ctx, q, func(ctx context.Context) (write.Result, error) {
		by := q.caller(ctx)
		if q.api.options.Authorizer != nil {
			by.MayCreate = func(ctx context.Context) (*rights.Restriction, error) { return q.permitVerb(ctx, kind.Create) }
		}
		return w.Do(by)
	})
}

// target returns the subresource that a write addresses, or nil for the object itself.
func (sub *Subresource) target() *resource.Subresource {
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
	if q.res.Kind.Namespaced && c.wanted.Namespace == "" {
		return status.MethodNotAllowed()
	}
	if err := q.readObject(c); err != nil {
		return err
	}
	done, err := c.do(q)
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
	if err := q.readObject(c); err != nil {
		return err
	}
	done, err := c.do(q)
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
	w := &c.wanted
	if w.Data, err = q.readBody(); err != nil {
		return err
	}
	switch w.Form = body.Type(q.r); w.Form {
	case media.ApplyCBOR:
		w.Verb = service.Apply
		if w.Data, err = q.api.options.CBOR.ToJSON(w.Data); err != nil {
			return status.BadRequest("error decoding patch: " + err.Error())
		}
	case kind.ApplyPatch:
		w.Verb = service.Apply
	}
	done, err := c.do(q)
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
