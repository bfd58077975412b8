package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/impersonation"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/remote"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Client reads and writes the objects of one resource. A program has four ways to a client:
//
//   - [ClientForType], from a Go type that this process serves,
//   - [ClientForResource], from the group, version and plural of a resource that this process serves, such as a kind without a Go struct,
//   - [ClientForHook], from the context of a hook,
//   - [ClientForEndpoint], from the URL of an API in another process.
//
// The first three return in-process clients, which do not use HTTP. All clients take the same calls. Their writes go
// through the same defaults, validation and hooks, and return the same errors (see package status). The Verbs of a
// [Resource] do not restrict an in-process client.
//
// In the signatures of the methods, P is *T.
//
// A Client is an immutable value: its methods Namespace, FieldManager, AsUser, DryRun and Validation return a changed
// copy. It is safe for concurrent use. The zero Client is not usable. After [API.Shutdown] or [API.Close], every call of
// an in-process client returns a ServiceUnavailable error that wraps [watch.ErrClosed].
type Client[T any] struct{ calls[*T] }

// calls are the methods of a [Client] whose results are objects. P is *T, see [declared]. The client is nil in the zero
// Client. It is a pointer so that a host needs less code to copy a Client.
type calls[P any] struct{ *client }

// client is a [Client] without its type parameter. It does not change once a caller has it. An object in an any is a
// pointer to the Go type.
type client struct {
	service   service.Service
	res       *resource.Resource // an outline in a client of another process
	namespace string
	asked     write.Asked  // the options of every write
	user      *access.User // set by AsUser
	door
}

// Namespace returns a client for one namespace. A client without a namespace lists and watches across all namespaces;
// its other calls fail with BadRequest if the kind is namespaced.
func (c Client[T]) Namespace(namespace string) Client[T] {
	c.client = c.copied()
	c.namespace = namespace
	return c
}

// FieldManager returns a client with the name of a field manager. managedFields record it as the owner of the fields
// that the client sets (API concepts, Server-Side Apply). Default: the name of the user in the context for an
// in-process client, and the choice of the server over HTTP.
func (c Client[T]) FieldManager(manager string) Client[T] {
	c.client = c.copied()
	c.asked.Manager = manager
	return c
}

// AsUser returns a client that acts as a user. For an in-process client, the [access.Authorizer] decides about each call as
// about the equivalent request, and hooks see the user; without AsUser, an in-process client may do everything, even if
// its context carries a user. A client of another process asks the server for impersonation with each request, which
// the server allows only to some users (kubectl --as). If u has no Name, every call returns a BadRequest error.
func (c Client[T]) AsUser(u access.User) Client[T] {
	c.client = c.copied()
	c.actAs(u)
	return c
}

// copied returns a copy, which its caller may change. If Go inlined it, each kind would contain it.
//
//go:noinline
func (c *client) copied() *client {
	if c == nil {
		return new(client)
	}
	next := *c
	return &next
}

// actAs makes the client act as a user.
func (c *client) actAs(u access.User) {
	c.user = &u
	switch now := c.service.(type) {
	case *remote.Service:
		acting := *now
		acting.Header = impersonation.Header(u)
		c.service = &acting
	case *service.Calls:
		c.service = c.res.Owner.(*API).callsAs(*now, u)
	}
}

// callsAs returns calls that act as a user.
func (a *API) callsAs(acting service.Calls, u access.User) *service.Calls {
	u.Groups = identity.WithSystemGroup(u.Name, u.Groups)
	acting.Calling = func(ctx context.Context, q access.Access) context.Context {
		return &call{Context: access.WithUser(ctx, u), access: q, acting: true}
	}
	acting.Permit = func(ctx context.Context, res *resource.Resource, q access.Access) (*rights.Restriction, error) {
		only, err := a.front.Permit(ctx, u, q, res)
		if err == nil {
			a.front.Reads(ctx, u, q, only, res)
		}
		return only, err
	}
	acting.PermitWatch = func(ctx context.Context, res *resource.Resource, q access.Access) (*rights.Permission, error) {
		return a.front.PermitWatch(ctx, u, q, res)
	}
	return &acting
}

// ListOptions select the objects of a list. The zero value selects all objects in their most recent state.
type ListOptions struct {
	LabelSelector, FieldSelector string
	// FieldQuery and SortBy are parameters of [Queries], such as "spec.size>=3" and "-spec.size". If the API does not
	// support queries, the call fails with BadRequest. A watch and a deletion of a collection take no SortBy.
	FieldQuery, SortBy string
	// ShardSelector selects a shard of the objects, see [Options].Sharded. An API without shards ignores it.
	// [Page].Shard is the shard that a page contains.
	ShardSelector string
	// Limit is the largest number of objects in a page; 0 means no limit. Continue is the token of an earlier page, and
	// asks for the next one (API concepts, Retrieving large results sets in chunks).
	Limit    int64
	Continue string
	// ResourceVersion and ResourceVersionMatch say which state to list, like the parameters of a request (API concepts,
	// Resource versions). Default: the most recent state.
	ResourceVersion      string
	ResourceVersionMatch apimeta.ResourceVersionMatch
}

// WatchOptions select the events of a watch, and say where it begins. The zero value watches all objects of the
// Client from their present state.
type WatchOptions struct {
	LabelSelector, FieldSelector string
	// FieldQuery is a parameter of [Queries]. If the API does not support queries, the watch fails with BadRequest.
	FieldQuery string
	// ShardSelector selects a shard, see [ListOptions].
	ShardSelector string
	// ResourceVersion is the version after which the watch begins, usually the version of a list. If it is empty, the
	// watch begins with an Added event for each existing object. The watch waits a few seconds for a version that the
	// store has not reached; then it fails with an error for which [status.IsTooLargeResourceVersion] holds.
	ResourceVersion string
}

// DeleteOptions say how to delete an object, for [Client.Delete]. The zero value deletes it by the rules of its kind.
type DeleteOptions struct {
	// Preconditions are the uid and the resourceVersion that the object must have. If it has others, the deletion fails
	// with Conflict.
	Preconditions *apimeta.Preconditions
	// PropagationPolicy says what becomes of the object's dependents.
	PropagationPolicy apimeta.DeletionPropagation
	// GracePeriodSeconds is how long the object has to end, if its kind has a grace period. nil leaves the time to the
	// kind, and 0 deletes at once.
	GracePeriodSeconds *int64
}

// Page is one page of a list. All its items are of the state at ResourceVersion. The caller owns them.
type Page[T any] struct {
	Items           []*T
	ResourceVersion string
	// Continue is the token of the next page, or empty on the last page.
	Continue string
	// Shard is the selector of the shard that the page contains, or empty if it may contain all objects.
	Shard string
}

// Event is one event of a watch. The caller owns Object. ResourceVersion is the version of the change, also of a
// deletion.
type Event[T any] struct {
	Type            apimeta.EventType
	Object          *T
	ResourceVersion string
	// Written is when Object was written, by the clock of the process that wrote it. It is zero for a deletion, and for a
	// client of an API in another process.
	Written time.Time
}

// call is the context for the hooks of a call of an in-process client.
type call struct {
	context.Context
	host   access.User
	access access.Access
	// acting says that a user makes the call, and not the host itself.
	acting bool
}

// Question returns the access of the call, without the user. [access.AccessFrom] calls it.
func (c *call) Question() access.Access { return c.access }

// OfHost reports whether the call is the host's own, which may do everything. [access.Authorize] calls it.
func (c *call) OfHost() bool { return !c.acting }

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key.(type) {
	case keys.HostUser:
		return c.host
	case keys.Call:
		return c
	}
	return c.Context.Value(key)
}

// calling returns the context for the hooks of a call. Its user is the user in ctx or, if ctx has no user,
// [Options.HostUser].
func (a *API) calling(ctx context.Context, q access.Access) context.Context {
	return &call{Context: ctx, host: a.options.HostUser, access: q}
}

// at checks that the resource supports a verb, and returns the address of an object or, if subresource is not empty, of
// that subresource.
func (c *client) at(v access.Verb, name, subresource string) (service.Address, error) {
	at := service.Address{Namespace: c.namespace, Name: name, Subresource: subresource}
	switch {
	case c == nil || c.service == nil:
		return at, status.InternalError(errors.New("the zero rest.Client is not usable: call one of the functions named ClientFor"))
	case c.user != nil && c.user.Name == "":
		return at, status.BadRequest("rest.Client.AsUser: the user has no name")
	case !c.res.Possible(string(v)):
		return at, status.MethodNotSupported(c.res.GR, string(v))
	case v == access.VerbList || v == access.VerbWatch:
		return at, nil
	case c.res.Kind.Namespaced && c.namespace == "":
		return at, status.BadRequest(fmt.Sprintf("the client of %s has no namespace: call Namespace to choose one", c.res.GR))
	case !c.res.Kind.Namespaced && c.namespace != "":
		return at, status.BadRequest(fmt.Sprintf("the client of %s has the namespace %q, and the kind has none: do not call Namespace", c.res.GR, c.namespace))
	}
	return at, nil
}

// as returns what a call of an untyped client returned as the pointer P.
func as[P any](obj any, err error) (P, error) {
	typed, _ := obj.(P)
	return typed, err
}

// decode decodes the object that a call returned, unless the call failed.
func (c *client) decode(json []byte, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	obj, err := c.res.GoType.Decode(json)
	if err != nil {
		return nil, err
	}
	return obj, nil
}

// do carries out a write and returns the resulting object or subresource.
func (c *client) do(ctx context.Context, w *service.Wanted) ([]byte, error) {
	report := collectWarnings(ctx, w)
	writing, err := c.service.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	defer report()
	done, err := writing.Do(service.Caller{Context: ctx})
	if err != nil {
		return nil, err
	}
	c.noted(w, done)
	return done.JSON, nil
}

// decodeInto decodes what is not an object of the kind, unless the call that returned it failed.
func decodeInto(v any, json []byte, err error) error {
	if err != nil {
		return err
	}
	return codec.Unmarshal(json, v)
}

// Get returns the most recent state of an object, or a NotFound error.
func (c calls[P]) Get(ctx context.Context, name string) (P, error) {
	return as[P](c.get(ctx, name, ""))
}

// GetNotOlderThan returns an object from a state that is at least as recent as resourceVersion; "0" accepts any state
// (API concepts, Resource versions). If the store does not reach the version within a few seconds, the error is one for
// which [status.IsTooLargeResourceVersion] holds.
func (c calls[P]) GetNotOlderThan(ctx context.Context, name, resourceVersion string) (P, error) {
	return as[P](c.get(ctx, name, resourceVersion))
}

func (c *client) get(ctx context.Context, name, resourceVersion string) (any, error) {
	at, err := c.at(access.VerbGet, name, "")
	if err != nil {
		return nil, err
	}
	return c.decode(c.service.Get(service.Caller{Context: ctx}, at, resourceVersion))
}

// List returns a page of objects, ordered by namespace and name. It decodes each object as it reads it, so it needs no
// memory for the text of the list. An expired token, or a resourceVersion that the store
// no longer holds, is an error for which [status.IsExpired] holds. [Client.All] reads all pages.
func (c Client[T]) List(ctx context.Context, options ListOptions) (*Page[T], error) {
	found, err := c.page(ctx, &options)
	return (*Page[T])(found), err
}

// page is a [Page] whose type parameter is the pointer to the Go type.
type page[P any] struct {
	Items                            []P
	ResourceVersion, Continue, Shard string
}

func (c *calls[P]) page(ctx context.Context, options *ListOptions) (*page[P], error) {
	var items []P
	found, err := c.list(ctx, options, func(obj any) { items = append(items, obj.(P)) })
	return pageOf(items, found, err)
}

// pageOf returns the objects of a page, unless the call that found them failed.
func pageOf[P any](items []P, found service.Page, err error) (*page[P], error) {
	if err != nil {
		return nil, err
	}
	version := cmp.Or(found.Version, strconv.FormatUint(uint64(found.Revision), 10))
	return &page[P]{items, version, found.Token, found.Shard}, nil
}

// list calls add with each object of a page.
func (c *client) list(ctx context.Context, options *ListOptions, add func(obj any)) (service.Page, error) {
	if _, err := c.at(access.VerbList, "", ""); err != nil {
		return service.Page{}, err
	}
	return c.service.List(service.Caller{Context: ctx}, c.namespace, options.selected(), c.adding(add))
}

// adding decodes the objects of a page while a call reads them.
func (c *client) adding(add func(obj any)) service.Into {
	goType := c.res.GoType
	return service.Into{See: func(json []byte) error {
		obj, err := goType.Decode(json)
		if err == nil {
			add(obj)
		}
		return err
	}}
}

// selected converts the options to the query parameters of a list.
func (o *ListOptions) selected() service.Selected {
	return service.Selected{
		ListOptions: apimeta.ListOptions{
			LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector, ShardSelector: o.ShardSelector, Limit: o.Limit,
			Continue:        o.Continue,
			ResourceVersion: o.ResourceVersion, ResourceVersionMatch: o.ResourceVersionMatch,
		},
		Query: resource.QueryText{Conditions: o.FieldQuery, SortBy: o.SortBy},
	}
}

// Watch yields events until the context ends, the caller breaks out of the loop, or an error occurs. It yields the
// error last. If [status.IsExpired] holds for the error, the watch has missed changes: list again and watch from there,
// or use [Client.Follow], which does this itself.
func (c Client[T]) Watch(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return eventsOf[T](c.events(ctx, &options, false))
}
