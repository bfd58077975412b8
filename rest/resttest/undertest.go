package resttest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// underTestKey marks the context of calls under test.
type underTestKey struct{}

// UnderTest returns a context for code under test that uses the typed client, such as the host's own controller. The
// server records the calls under this context, and they meet faults. Calls under other contexts belong to the test and
// do not.
//
// The server sees a call when it reaches the store. There an update, a patch and a Modify have the same verb, update,
// and the subresource status if they change the status. The server also sees the lookups that it makes on behalf of a
// call, such as the lookup of a new object's namespace. It does not see a write that fails earlier, because it is
// invalid or has a real conflict. It sees a watch by its initial list, if it has one; to test how a controller recovers
// from 410, use [Server.Expire].
func (s *Server) UnderTest(ctx context.Context) context.Context {
	return context.WithValue(ctx, underTestKey{}, s)
}

// calledStore wraps the store for calls in process: it records them and makes them meet faults.
type calledStore struct {
	storage.Store
	server *Server
}

func (c *calledStore) sees(ctx context.Context) bool { return ctx.Value(underTestKey{}) == c.server }

// begin records a call, and delays or fails it as its fault says.
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

// finish records how a call ended, and returns the error for its caller.
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

// about returns the request that a scope describes. The resource of a scope has the form "widgets.example.com".
func about(verb access.Verb, scope watch.Key) Request {
	resource, group, _ := strings.Cut(scope.Resource, ".")
	return Request{Verb: verb, Group: group, Resource: resource, Namespace: scope.Namespace, Name: scope.Name,
		InProcess: true}
}

func (c *calledStore) Get(ctx context.Context, key storage.Key,
	atLeast watch.Revision) (record *storage.Record, err error) {
	if !c.sees(ctx) {
		return c.Store.Get(ctx, key, atLeast)
	}
	entry, fault, err := c.begin(ctx, about(access.VerbGet, key))
	if err == nil {
		record, err = c.Store.Get(ctx, key, atLeast)
	}
	return record, c.finish(entry, fault, http.StatusOK, err)
}

func (c *calledStore) List(ctx context.Context, options storage.Query,
	into []*storage.Record) (page storage.Listing, err error) {
	if !c.sees(ctx) {
		return c.Store.List(ctx, options, into)
	}
	entry, fault, err := c.begin(ctx, about(access.VerbList, options.Within))
	if err == nil {
		page, err = c.Store.List(ctx, options, into)
	}
	return page, c.finish(entry, fault, http.StatusOK, err)
}

// Update records a write when its result is known: in the update function, on its first run.
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
		r := about(access.VerbUpdate, key)
		r.Body = next
		if current == nil {
			success = http.StatusCreated
		}
		if r.Verb, r.Subresource, err = writeOf(ctx, current, next); err != nil {
			return nil, err
		}
		entry, fault, err = c.begin(ctx, r)
		return next, err
	})
	if entry == nil {
		return record, err
	}
	return record, c.finish(entry, fault, success, err)
}

// Transact implements [storage.Transactor], if the store does.
func (c *calledStore) Transact(ctx context.Context,
	fn func(context.Context) error) ([]watch.Change[storage.Record], error) {
	transactor, ok := c.Store.(storage.Transactor)
	if !ok {
		return nil, status.BadRequest("the store has no transactions")
	}
	return transactor.Transact(ctx, fn)
}

// writeOf returns the verb and the subresource of a write, by its result.
func writeOf(ctx context.Context, current *storage.Record,
	next []byte) (verb access.Verb, subresource string, err error) {
	if current == nil {
		return access.VerbCreate, "", nil
	}
	if current.Deleting { // the removal results from an update of the finalizers
		if next == nil {
			return access.VerbUpdate, "", nil
		}
	} else if next == nil || marksDeletion(next) {
		return access.VerbDelete, "", nil
	}
	text, err := current.JSON(ctx)
	if err != nil {
		return "", "", err
	}
	if statusIn(text) != statusIn(next) {
		return access.VerbUpdate, "status", nil
	}
	return access.VerbUpdate, "", nil
}

func marksDeletion(object []byte) bool {
	var marked struct {
		Metadata struct{ DeletionTimestamp string }
	}
	return json.Unmarshal(object, &marked) == nil && marked.Metadata.DeletionTimestamp != ""
}

// statusIn returns the text of an object's status. Equal statuses have equal texts.
func statusIn(object []byte) string {
	var part struct{ Status json.RawMessage }
	_ = json.Unmarshal(object, &part) // the store holds valid objects
	return string(part.Status)
}
