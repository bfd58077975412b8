package rest

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Client reads and writes the objects of one resource in process, without HTTP: by the same pipeline, with the same
// defaults, validation and hooks, and the same errors (see package status). It is the host's own and is not bound by
// the verbs of the resource. A Client is a value; Namespace returns another one. After the API's Close or Shutdown its
// errors are ServiceUnavailable, and [errors.Is] finds [watch.ErrClosed] in them.
type Client[T any] struct {
	api       *API
	res       *resource.Resource
	namespace string
	asked     resource.Asked // of every write
	err       error
}

// ClientFor returns the client of the resource whose objects are T. Where the API serves no such resource, or several,
// every call returns an error that says so.
func ClientFor[T any](api *API) Client[T] {
	c := Client[T]{api: api}
	for res := range api.serving.Load().EveryVersion {
		if _, ok := res.GoType.(*typed[T]); !ok {
			continue
		}
		if c.res != nil {
			c.err = status.BadRequest(fmt.Sprintf("rest.ClientFor: %s is the type of more than one resource", reflect.TypeFor[T]()))
			return c
		}
		c.res = res
	}
	if c.res == nil {
		c.err = status.BadRequest(fmt.Sprintf("rest.ClientFor: the API serves no resource of %s", reflect.TypeFor[T]()))
	}
	return c
}

// Namespace returns the client for one namespace. Without one, List and Watch span all namespaces, and all other calls to a
// namespaced kind fail with BadRequest.
func (c Client[T]) Namespace(namespace string) Client[T] {
	c.namespace = namespace
	return c
}

// As returns the client that writes under the name of a field manager, of which the managedFields of the objects tell.
// Default: the name of the user in the context.
func (c Client[T]) As(manager string) Client[T] {
	c.asked.Manager = manager
	return c
}

// ListOptions narrow down a list.
type ListOptions struct {
	LabelSelector, FieldSelector string
	// Limit bounds the page; 0 is no bound. Continue goes on after an earlier page.
	Limit    int64
	Continue string
	// ResourceVersion and ResourceVersionMatch say which state to list, as the parameters of the same names do over HTTP (API
	// concepts, Resource versions). Default: the most recent.
	ResourceVersion      string
	ResourceVersionMatch apimeta.ResourceVersionMatch
}

// WatchOptions narrow down a watch.
type WatchOptions struct {
	LabelSelector, FieldSelector string
	// ResourceVersion is where the watch goes on, mostly that of a list. Empty: the watch begins with an Added event
	// for every object there is. A version that the store has not reached is awaited for a few seconds; then the watch
	// fails with an error for which [status.IsTooLargeResourceVersion] holds.
	ResourceVersion string
}

// DeleteOptions say how to delete.
type DeleteOptions struct {
	// Preconditions must hold, or the deletion is refused with 409.
	Preconditions *apimeta.Preconditions
	// PropagationPolicy says what becomes of dependents.
	PropagationPolicy apimeta.DeletionPropagation
	// GracePeriodSeconds is how long the object has to end, where its kind has a grace period; nil leaves it to the kind, 0 is at
	// once.
	GracePeriodSeconds *int64
}

// Page is one page of a list, all of it at one ResourceVersion.
type Page[T any] struct {
	Items           []*T
	ResourceVersion string
	// Continue is the token of the next page; empty on the last one.
	Continue string
}

// Event is one event of a watch. Object is the caller's own.
type Event[T any] struct {
	Type            watch.EventType
	Object          *T
	ResourceVersion string
}

// begin lets a call in as the handler lets a request in, so that Shutdown waits for it. The context that it returns names
// the user of the call.
func (c Client[T]) begin(ctx context.Context, v Verb) (context.Context, func(), error) {
	if c.err != nil {
		return nil, nil, c.err
	}
	if !c.res.Possible(string(v)) {
		return nil, nil, status.MethodNotSupported(c.res.GR, string(v))
	}
	if err := c.checkNamespace(v); err != nil {
		return nil, nil, err
	}
	if err := c.api.enterCall(); err != nil {
		return nil, nil, err
	}
	return c.api.asHost(ctx), c.api.leaveCall, nil
}

// checkNamespace refuses a call about one object from a client that does not say where the object is.
func (c Client[T]) checkNamespace(v Verb) error {
	switch {
	case v == List || v == Watch:
		return nil
	case c.res.Kind.Namespaced && c.namespace == "":
		return status.BadRequest(fmt.Sprintf("the client of %s has no namespace: call Namespace to choose one", c.res.GR))
	case !c.res.Kind.Namespaced && c.namespace != "":
		return status.BadRequest(fmt.Sprintf("the client of %s has the namespace %q, and the kind has none: do not call Namespace", c.res.GR, c.namespace))
	}
	return nil
}

// checkRead refuses to replace a stored object by one that was never read, if the kind demands a resourceVersion.
func (c Client[T]) checkRead(obj, old doc.Value) error {
	if c.res.Dialect.UnconditionalUpdate || old.IsAbsent() || objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text() != "" {
		return nil
	}
	return status.Invalid(c.res.GVK.GroupKind(), objectmeta.NameOf(obj), status.FieldErrors{
		status.RequiredField(status.Field("metadata", objectmeta.ResourceVersion), "Get the object before you change and Update it, or call Modify")})
}

// theStatus is the subresource that writes of the status go through.
const theStatus = "status"

// newWrite begins a write of an object, or of the part of it that is a subresource of this name.
func (c Client[T]) newWrite(ctx context.Context, name, subresource string) (*resource.Write, error) {
	t := resource.Target{Namespace: c.namespace, Name: name}
	if subresource != "" {
		if t.Through = c.res.Subresource(subresource); t.Through == nil {
			return nil, status.ResourceNotFound()
		}
	}
	asked := c.asked
	asked.Agent = userNameIn(ctx)
	if errs := asked.Validation.Check(); len(errs) > 0 {
		return nil, resource.InvalidOptions("PatchOptions", errs)
	}
	w := c.res.NewWrite(t, asked)
	c.listen(ctx, w)
	return w, nil
}

func decodeAs[T any](res *resource.Resource, json []byte) (*T, error) {
	obj, err := res.GoType.Decode(json)
	if err != nil {
		return nil, err
	}
	return obj.(*T), nil
}

// Get returns an object from the most recent state, or a NotFound error.
func (c Client[T]) Get(ctx context.Context, name string) (*T, error) {
	return c.get(ctx, name, storage.MostRecent)
}

// GetNotOlderThan returns an object from a state that is not older than a resourceVersion; "0" is any state. A version that the
// store does not reach within a few seconds is an error for which [status.IsTooLargeResourceVersion] holds.
func (c Client[T]) GetNotOlderThan(ctx context.Context, name, resourceVersion string) (*T, error) {
	revision, err := resource.ReadRevision(resourceVersion)
	if err != nil {
		return nil, err
	}
	return c.get(ctx, name, revision)
}

func (c Client[T]) get(ctx context.Context, name string, atLeast watch.Revision) (*T, error) {
	ctx, done, err := c.begin(ctx, Get)
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := c.res.Get(ctx, c.namespace, name, atLeast)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, record.JSON)
}

// List returns a page of objects in the order of namespace and name.
func (c Client[T]) List(ctx context.Context, options ListOptions) (*Page[T], error) {
	ctx, done, err := c.begin(ctx, List)
	if err != nil {
		return nil, err
	}
	defer done()
	p, err := c.listParameters(options)
	if err != nil {
		return nil, err
	}
	found, err := c.res.List(ctx, c.namespace, p, nil)
	if err != nil {
		return nil, err
	}
	return c.page(found)
}

// listParameters are the options as a list over HTTP has them.
func (c Client[T]) listParameters(options ListOptions) (resource.ListParameters, error) {
	p, err := c.selectors(options.LabelSelector, options.FieldSelector)
	if err != nil {
		return p, err
	}
	p.Limit, p.Continue = options.Limit, options.Continue
	p.ResourceVersion, p.ResourceVersionMatch = options.ResourceVersion, options.ResourceVersionMatch
	return p, p.Validate()
}

// page decodes the objects of a page.
func (c Client[T]) page(found resource.Page) (*Page[T], error) {
	out := &Page[T]{ResourceVersion: strconv.FormatUint(uint64(found.Revision), 10), Continue: found.Token}
	for _, r := range found.Records {
		shown, err := c.res.Show(r)
		if err != nil {
			return nil, err
		}
		obj, err := decodeAs[T](c.res, shown.JSON)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, obj)
	}
	return out, nil
}

func (c Client[T]) selectors(labels, fields string) (p resource.ListParameters, err error) {
	if p.Labels, err = apimeta.ParseSelector(labels); err != nil {
		return p, status.BadRequest(err.Error())
	}
	if p.Fields, err = apimeta.ParseFieldSelector(fields); err != nil {
		return p, status.BadRequest(err.Error())
	}
	return p, c.res.CheckFieldSelector(p.Fields)
}

// document encodes an object of the caller's and gives it the kind that the caller need not write.
func (c Client[T]) document(obj *T) (doc.Value, error) {
	v, err := codec.FromGo(obj)
	if err != nil {
		return doc.Value{}, status.BadRequest(err.Error())
	}
	v = c.res.WithKind(v)
	return v, c.res.CheckNamespace(v, c.namespace)
}

// Create stores a new object and returns it as stored.
func (c Client[T]) Create(ctx context.Context, obj *T) (*T, error) {
	ctx, done, err := c.begin(ctx, Create)
	if err != nil {
		return nil, err
	}
	defer done()
	v, err := c.document(obj)
	if err != nil {
		return nil, err
	}
	w, err := c.newWrite(ctx, "", "")
	if err != nil {
		return nil, err
	}
	defer c.tell(ctx, w)
	w.Replace(v)
	out, err := w.Create(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}

// Update replaces an object but its status. It is refused with 409 when the object has changed since obj was read. obj must come
// from a read, unless the kind accepts an update without a resourceVersion: otherwise the error is Invalid.
func (c Client[T]) Update(ctx context.Context, obj *T) (*T, error) {
	return c.update(ctx, obj, "")
}

// UpdateStatus replaces an object's status and nothing else, with the same check.
func (c Client[T]) UpdateStatus(ctx context.Context, obj *T) (*T, error) {
	return c.update(ctx, obj, theStatus)
}

func (c Client[T]) update(ctx context.Context, obj *T, subresource string) (*T, error) {
	ctx, done, err := c.begin(ctx, Update)
	if err != nil {
		return nil, err
	}
	defer done()
	v, err := c.document(obj)
	if err != nil {
		return nil, err
	}
	w, err := c.newWrite(ctx, objectmeta.NameOf(v), subresource)
	if err != nil {
		return nil, err
	}
	defer c.tell(ctx, w)
	w.Replace(v)
	w.Change(func(old doc.Value) (doc.Value, error) { return c.res.SentByType(v, old), c.checkRead(v, old) })
	out, err := w.Update(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}

// Delete removes an object, or marks it for deletion while finalizers hold it.
func (c Client[T]) Delete(ctx context.Context, name string, options DeleteOptions) error {
	ctx, done, err := c.begin(ctx, Delete)
	if err != nil {
		return err
	}
	defer done()
	o, err := c.deleteOptions(options)
	if err != nil {
		return err
	}
	w, err := c.newWrite(ctx, name, "")
	if err != nil {
		return err
	}
	defer c.tell(ctx, w)
	_, err = w.Delete(ctx, o)
	return err
}

// Watch yields what changes until the context ends, the caller breaks off, or an error comes, which is yielded last.
// An error for which [status.IsExpired] holds means that changes were missed: list again and watch from there.
func (c Client[T]) Watch(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return c.events(ctx, options, (*resource.Resource).Watch)
}
