package resttest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// underTestKey marks the context of what is under test.
type underTestKey struct{}

// UnderTest returns a context for what is under test and calls the API by the typed client, such as a controller of the
// host's own: its calls are recorded and meet faults, while those of the test itself, under other contexts, do not.
//
// A call is seen where it reaches the store. There an update, a patch and a Modify are one thing, the verb update, and are
// of the subresource status where they change it. What the server looks up for itself on behalf of a call, like the
// namespace that a new object goes to, is seen too; a write that is refused before, as invalid or for a conflict that is
// real, is not. A watch is seen by the list it begins with, if it has one; to try how a controller recovers from 410, use [Server.Expire].
func (s *Server) UnderTest(ctx context.Context) context.Context {
	return context.WithValue(ctx, underTestKey{}, s)
}

// calledStore is the store as calls in process see it: on the way they are recorded and meet faults.
type calledStore struct {
	storage.Store
	server *Server
}

func (c *calledStore) sees(ctx context.Context) bool { return ctx.Value(underTestKey{}) == c.server }

// begin records a call and holds it up as its fault says.
func (c *calledStore) begin(ctx context.Context, r Request) (*Request, *Fault, error) {
	fault := c.server.faults.meet(&r, false)
	r.InProcess, r.Fault = true, fault != nil
	entry := c.server.log.add(r)
	if fault == nil {
		return entry, nil, nil
	}
	if !pause(ctx, fault.Delay) {
		return entry, nil, ctx.Err()
	}
	if fault.fails() && !fault.Late {
		return entry, fault, fault.answer(&r)
	}
	return entry, fault, nil
}

// finish notes how a call ended, and returns the error that its caller sees.
func (c *calledStore) finish(entry *Request, fault *Fault, success int, err error) error {
	if err == nil && fault != nil && fault.fails() {
		err = fault.answer(entry)
	}
	code := success
	switch {
	case errors.Is(err, storage.ErrNotFound):
		code = http.StatusNotFound
	case err != nil:
		code = status.CodeOf(err)
	}
	c.server.log.change(func() { entry.Code = code })
	return err
}

// about says which objects a scope names: its resource is "widgets.example.com".
func about(verb rest.Verb, scope watch.Scope) Request {
	resource, group, _ := strings.Cut(scope.Resource, ".")
	return Request{Verb: verb, Group: group, Resource: resource, Namespace: scope.Namespace, Name: scope.Name, InProcess: true}
}

func (c *calledStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (record *storage.Record, err error) {
	if !c.sees(ctx) {
		return c.Store.Get(ctx, key, atLeast)
	}
	entry, fault, err := c.begin(ctx, about(rest.Get, key))
	if err == nil {
		record, err = c.Store.Get(ctx, key, atLeast)
	}
	return record, c.finish(entry, fault, http.StatusOK, err)
}

func (c *calledStore) List(ctx context.Context, options storage.ListOptions, into []*storage.Record) (page storage.Page, err error) {
	if !c.sees(ctx) {
		return c.Store.List(ctx, options, into)
	}
	entry, fault, err := c.begin(ctx, about(rest.List, options.Scope))
	if err == nil {
		page, err = c.Store.List(ctx, options, into)
	}
	return page, c.finish(entry, fault, http.StatusOK, err)
}

// Update sees a write when it is known what it comes to: in the function of the write, once.
func (c *calledStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if !c.sees(ctx) {
		return c.Store.Update(ctx, key, fn)
	}
	var entry *Request
	var fault *Fault
	success := http.StatusOK
	record, err := c.Store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
		next, err := fn(current)
		if err != nil || entry != nil {
			return next, err
		}
		r := about(rest.Update, key)
		r.Body = next
		if current == nil {
			success = http.StatusCreated
		}
		r.Verb, r.Subresource = writeOf(current, next)
		entry, fault, err = c.begin(ctx, r)
		return next, err
	})
	if entry == nil {
		return record, err
	}
	return record, c.finish(entry, fault, success, err)
}

// writeOf says what a write comes to.
func writeOf(current *storage.Record, next []byte) (verb rest.Verb, subresource string) {
	if current == nil {
		return rest.Create, ""
	}
	if current.Deleting { // what ends in its removal was an update of its finalizers
		if next == nil {
			return rest.Update, ""
		}
	} else if next == nil || marksDeletion(next) {
		return rest.Delete, ""
	}
	if statusIn(current.JSON) != statusIn(next) {
		return rest.Update, "status"
	}
	return rest.Update, ""
}

func marksDeletion(object []byte) bool {
	var marked struct {
		Metadata struct{ DeletionTimestamp string }
	}
	return json.Unmarshal(object, &marked) == nil && marked.Metadata.DeletionTimestamp != ""
}

// statusIn returns the text of an object's status: equal ones are written alike.
func statusIn(object []byte) string {
	var part struct{ Status json.RawMessage }
	_ = json.Unmarshal(object, &part) // what the store holds is an object
	return string(part.Status)
}
