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
	"github.com/decorum-go/decorum/rest/internal/caller"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Write implements [caller.Caller].
func (c *Caller) Write(ctx context.Context, w *caller.Write) ([]byte, error) {
	switch w.Verb {
	case kind.Create:
		return c.create(ctx, w)
	case kind.Patch:
		return c.put(ctx, w, request{method: http.MethodPatch, media: w.Form, body: w.Data})
	case caller.Apply:
		return c.put(ctx, w, request{method: http.MethodPatch, media: kind.ApplyPatch, body: codec.AppendJSON(nil, w.Object)})
	case kind.Delete:
		_, err := c.put(ctx, w, request{method: http.MethodDelete, media: typeJSON, body: deleteOptions(w)})
		return nil, err
	}
	if c.replaces(w) {
		return c.replace(ctx, w, named(w.Object, w.Address))
	}
	return c.change(ctx, w)
}

// named adds the name to an object or a subresource, because a PUT must contain it. A subresource without metadata has
// no name.
func named(obj doc.Value, at caller.Address) doc.Value {
	if objectmeta.NameOf(obj) != "" || objectmeta.Of(obj).IsAbsent() {
		return obj
	}
	return obj.WithAt(doc.Of(at.Name), "metadata", objectmeta.Name)
}

// parameters returns the options of a write.
func parameters(w *caller.Write) url.Values {
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
func deleteOptions(w *caller.Write) []byte {
	o := w.Deletion
	o.Kind, o.APIVersion = "DeleteOptions", "v1"
	if w.Asked.DryRun {
		o.DryRun = []string{apimeta.DryRunAll}
	}
	body, _ := json.Marshal(o) // cannot fail: o holds only numbers and text
	return body
}

// put sends a write to the address of its object.
func (c *Caller) put(ctx context.Context, w *caller.Write, r request) ([]byte, error) {
	var err error
	if r.url, err = c.object(w.Address, parameters(w)); err != nil {
		return nil, err
	}
	return c.tell(ctx, w, r)
}

// tell sends a write and passes its warnings to the client.
func (c *Caller) tell(ctx context.Context, w *caller.Write, r request) ([]byte, error) {
	out, err := c.send(ctx, r)
	warn(w, out.header)
	if err == nil && r.method != http.MethodDelete { // the answer of a deletion may be a Status
		err = c.check(out.body, w.Address)
	}
	return out.body, err
}

// warn passes the warnings in the header of an answer to the client.
func warn(w *caller.Write, answer http.Header) {
	if w.Tell != nil {
		for _, text := range Warnings(answer) {
			w.Tell(text)
		}
	}
}

// create stores a new object, or runs the action of a subresource. The server answers with a Status if the action has
// no result.
func (c *Caller) create(ctx context.Context, w *caller.Write) ([]byte, error) {
	r := request{method: http.MethodPost, media: typeJSON, body: codec.AppendJSON(nil, w.Object)}
	if w.Subresource == "" {
		var err error
		if r.url, err = c.collection(w.Namespace, parameters(w)); err != nil {
			return nil, err
		}
		return c.tell(ctx, w, r)
	}
	out, err := c.put(ctx, w, r)
	if err != nil || isStatus(out) {
		return nil, err
	}
	return out, nil
}

// isStatus reports whether a successful answer is a Status, which contains no result.
func isStatus(answer []byte) bool {
	var found apimeta.TypeMeta
	return codec.Unmarshal(answer, &found) == nil && found == apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}
}

// replace sends a PUT.
func (c *Caller) replace(ctx context.Context, w *caller.Write, obj doc.Value) ([]byte, error) {
	return c.put(ctx, w, request{method: http.MethodPut, media: typeJSON, body: codec.AppendJSON(nil, obj)})
}

// replaces reports whether the client can send an update without reading the old object. This is the case for a
// subresource, and for a kind whose objects the server stores as Go encodes them, unless the kind requires a
// resourceVersion that the object lacks.
func (c *Caller) replaces(w *caller.Write) bool {
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
func (c *Caller) change(ctx context.Context, w *caller.Write) ([]byte, error) {
	var lost error
	before := ""
	for range storage.MaxAttempts {
		old, err := c.old(ctx, w)
		if err != nil {
			return nil, err
		}
		version := versionOf(old)
		if lost != nil && version == before {
			return nil, lost
		}
		obj, err := w.Change(old)
		if err != nil {
			return nil, err
		}
		if lost != nil && versionOf(obj) != version {
			return nil, lost
		}
		out, err := c.replace(ctx, w, named(obj, w.Address))
		if !status.IsConflict(err) {
			return out, err
		}
		before, lost = version, err
		if err := sleep(ctx, rand.N(longestRest)); err != nil {
			return nil, err
		}
	}
	return nil, lost
}

// old reads the object that an update changes. If the object does not exist, old returns the absent value for an update
// with a whole object, because the server may create it, and NotFound for any other update.
func (c *Caller) old(ctx context.Context, w *caller.Write) (doc.Value, error) {
	text, err := c.Get(ctx, caller.Address{Namespace: w.Namespace, Name: w.Name}, "")
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

// DeleteCollection implements [caller.Caller].
func (c *Caller) DeleteCollection(ctx context.Context, w *caller.Write, options caller.ListOptions,
	see caller.See) (*caller.Page, error) {
	if options.Query != (resource.QueryText{}) { // a server that ignored it would delete too much
		one := caller.ListOptions{ListOptions: apimeta.ListOptions{Limit: 1}, Query: options.Query}
		if _, err := c.List(ctx, w.Namespace, one, func([]byte) error { return nil }); err != nil {
			return nil, err
		}
	}
	target, err := c.collection(w.Namespace, queryOf(options))
	if err != nil {
		return nil, err
	}
	resp, err := c.open(ctx, request{method: http.MethodDelete, url: target, media: typeJSON, body: deleteOptions(w)})
	if resp != nil {
		warn(w, resp.Header)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	deleted := c.newList(resp.Body, see)
	page, err := deleted.page(ctx)
	if deleted.isStatus() {
		return &caller.Page{}, nil
	}
	return page, err
}
