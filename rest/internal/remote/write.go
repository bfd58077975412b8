package remote

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// writing implements [service.Writing].
type writing struct {
	*Service
	*service.Wanted
}

// Begin implements [service.Service]. It sends nothing.
func (c *Service) Begin(_ context.Context, w *service.Wanted) (service.Writing, error) {
	return &writing{c, w}, nil
}

// Do implements [service.Writing].
func (w *writing) Do(by service.Caller) (write.Result, error) {
	out, err := w.write(by.Context)
	done := write.Result{JSON: out.body, Created: out.code == http.StatusCreated}
	if isStatus(out.body) && (w.Verb == kind.Create || w.Verb == kind.Delete) {
		done.JSON, done.Gone = nil, w.Verb == kind.Delete
	}
	return done, err
}

// write sends the write, or several requests.
func (w *writing) write(ctx context.Context) (answer, error) {
	c, wanted := w.Service, w.Wanted
	switch w.Verb {
	case kind.Create:
		return c.create(ctx, wanted)
	case kind.Patch:
		return c.put(ctx, wanted, request{method: http.MethodPatch, media: w.Form, body: w.Data})
	case service.Apply:
		r := request{method: http.MethodPatch, media: kind.ApplyPatch, body: w.Data}
		if !w.Object.IsAbsent() {
			r.body = codec.AppendJSON(nil, w.Object)
		}
		return c.put(ctx, wanted, r)
	case kind.Delete:
		return c.put(ctx, wanted, request{method: http.MethodDelete, media: typeJSON, body: deleteOptions(wanted)})
	}
	switch {
	case w.Body != nil:
		return c.put(ctx, wanted, request{method: http.MethodPut, media: w.Body.Type, body: w.Body.Data})
	case c.replaces(wanted):
		return c.replace(ctx, wanted, named(w.Object, w.Address))
	}
	return c.change(ctx, wanted)
}

// named adds the name to an object or a subresource, because a PUT must contain it. A subresource without metadata has
// no name.
func named(obj doc.Value, at service.Address) doc.Value {
	if objectmeta.NameOf(obj) != "" || objectmeta.Of(obj).IsAbsent() {
		return obj
	}
	return obj.WithAt(doc.Of(at.Name), "metadata", objectmeta.Name)
}

// parameters returns the options of a write.
func parameters(w *service.Wanted) url.Values {
	query := url.Values{}
	if w.Verb == kind.Delete || w.Verb == kind.DeleteCollection {
		return query // the body contains the options
	}
	set(query, "fieldManager", w.Asked.Manager)
	set(query, "fieldValidation", string(w.Asked.Validation))
	if w.Asked.DryRun {
		query.Set("dryRun", apimeta.DryRunAll)
	}
	if w.Asked.Force {
		query.Set("force", "true")
	}
	return query
}

// deleteOptions returns the body of a deletion.
func deleteOptions(w *service.Wanted) []byte {
	o := w.Deletion
	o.Kind, o.APIVersion = "DeleteOptions", "v1"
	if w.Asked.DryRun {
		o.DryRun = []string{apimeta.DryRunAll}
	}
	body, _ := json.Marshal(o) // cannot fail: o holds only numbers and text
	return body
}

// put sends a write to the address of its object.
func (c *Service) put(ctx context.Context, w *service.Wanted, r request) (answer, error) {
	var err error
	if r.url, err = c.object(w.Address, parameters(w)); err != nil {
		return answer{}, err
	}
	return c.tell(ctx, w, r)
}

// tell sends a write and collects its warnings.
func (c *Service) tell(ctx context.Context, w *service.Wanted, r request) (answer, error) {
	out, err := c.send(ctx, r)
	warn(w, out.header)
	if err == nil && r.method != http.MethodDelete { // the answer of a deletion may be a Status
		err = c.check(out.body, w.Address)
	}
	return out, err
}

// warn collects the warnings in the header of an answer.
func warn(w *service.Wanted, answer http.Header) {
	if w.Warnings != nil {
		w.Warnings.Texts = append(w.Warnings.Texts, Warnings(answer)...)
	}
}

// create stores a new object, or runs the action of a subresource. The server answers with a Status if the action has
// no result.
func (c *Service) create(ctx context.Context, w *service.Wanted) (answer, error) {
	r := request{method: http.MethodPost, media: typeJSON}
	if w.Body != nil {
		r.media, r.body = w.Body.Type, w.Body.Data
	} else {
		r.body = codec.AppendJSON(nil, w.Object)
	}
	if w.Subresource != "" {
		return c.put(ctx, w, r)
	}
	var err error
	if r.url, err = c.collection(w.Namespace, parameters(w)); err != nil {
		return answer{}, err
	}
	return c.tell(ctx, w, r)
}

// isStatus reports whether a successful answer is a Status, which contains no result.
func isStatus(answer []byte) bool {
	var found apimeta.TypeMeta
	return codec.Unmarshal(answer, &found) == nil && found == apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}
}

// replace sends a PUT.
func (c *Service) replace(ctx context.Context, w *service.Wanted, obj doc.Value) (answer, error) {
	return c.put(ctx, w, request{method: http.MethodPut, media: typeJSON, body: codec.AppendJSON(nil, obj)})
}

// replaces reports whether the client can send an update without reading the old object. This is the case for a
// subresource, and for a kind whose objects the server stores as Go encodes them, unless the kind requires a
// resourceVersion that the object lacks.
func (c *Service) replaces(w *service.Wanted) bool {
	d := c.Resource.Dialect
	return w.Change == nil || d.GoWritten && !w.Object.IsAbsent() && (d.UnconditionalUpdate || versionOf(w.Object) != "")
}

func versionOf(obj doc.Value) string {
	return objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text()
}

// longestRest bounds the random delay before a change runs again.
const longestRest = 20 * time.Millisecond

// change reads an object, computes the change, and sends a PUT. If another client writes the object first, change
// starts again, as often as the store does for in-process clients. It returns the Conflict earlier if a retry cannot
// succeed: if the object has not changed, so that the Conflict has another cause, or if Change requires an older
// resourceVersion.
func (c *Service) change(ctx context.Context, w *service.Wanted) (answer, error) {
	var lost error
	before := ""
	for range storage.MaxAttempts {
		old, err := c.old(ctx, w)
		if err != nil {
			return answer{}, err
		}
		version := versionOf(old)
		if lost != nil && version == before {
			return answer{}, lost
		}
		obj, err := w.Change(old)
		if err != nil {
			return answer{}, err
		}
		if lost != nil && versionOf(obj) != version {
			return answer{}, lost
		}
		out, err := c.replace(ctx, w, named(obj, w.Address))
		if !status.IsConflict(err) {
			return out, err
		}
		before, lost = version, err
		if err := sleep(ctx, rand.N(longestRest)); err != nil {
			return answer{}, err
		}
	}
	return answer{}, lost
}

// old reads the object that an update changes. If the object does not exist, old returns the absent value for an update
// with a whole object, because the server may create it, and NotFound for any other update.
func (c *Service) old(ctx context.Context, w *service.Wanted) (doc.Value, error) {
	text, err := c.Get(service.Caller{Context: ctx}, service.Address{Namespace: w.Namespace, Name: w.Name}, "")
	if status.IsNotFound(err) && !w.Object.IsAbsent() {
		return doc.Value{}, nil
	}
	if err != nil {
		return doc.Value{}, err
	}
	v, _, err := codec.DecodeJSON(text)
	if err != nil {
		return doc.Value{}, unreadable("an object", err)
	}
	return v, nil
}

// DeleteCollection implements [service.Service].
func (c *Service) DeleteCollection(by service.Caller, w *service.Wanted, selected service.Selected,
	into service.Into) (service.Page, error) {
	if selected.Query != (resource.QueryText{}) { // a server that ignored it would delete too much
		one := service.Selected{ListOptions: apimeta.ListOptions{Limit: 1}, Query: selected.Query}
		ignore := service.Into{See: func([]byte) error { return nil }}
		if _, err := c.List(by, w.Namespace, one, ignore); err != nil {
			return service.Page{}, err
		}
	}
	target, err := c.collection(w.Namespace, queryOf(selected))
	if err != nil {
		return service.Page{}, err
	}
	resp, err := c.open(by.Context,
		request{method: http.MethodDelete, url: target, media: typeJSON, body: deleteOptions(w), list: true})
	if resp != nil {
		warn(w, resp.Header)
	}
	if err != nil {
		return service.Page{}, err
	}
	defer resp.Body.Close()
	deleted := c.newList(resp.Body, into)
	page, err := deleted.page(by.Context)
	if deleted.isStatus() {
		return service.Page{}, nil
	}
	return page, err
}
