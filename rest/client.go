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
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Client reads and writes the objects of one resource in process, without HTTP. Its writes take the same steps as those over
// HTTP, with the same defaults, validation and hooks, and return the same errors (see package status). Verbs of a [Resource] do
// not bind it, because it is the host's own.
//
// A Client is a value: its methods Namespace, As, DryRun and Validation return another one. It may be used by many goroutines at
// once. After [API.Shutdown] or [API.Close] every call returns a ServiceUnavailable error that wraps [watch.ErrClosed].
type Client[T any] struct {
	api       *API
	res       *resource.Resource
	namespace string
	asked     resource.Asked // of every write that the client begins
	err       error
}

// ClientFor returns the client of the resource whose objects are T. If the API serves no such resource, or more than one, every
// call of the client returns an error that says so.
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

// Namespace returns a client for one namespace. A client without a namespace lists and watches across all namespaces; its other
// calls fail with BadRequest if the kind is namespaced.
func (c Client[T]) Namespace(namespace string) Client[T] {
	c.namespace = namespace
	return c
}

// As returns a client that writes under the name of a field manager, which managedFields record as the owner of the fields that
// it sets (API concepts, Server-Side Apply). Default: the name of the user in the context.
func (c Client[T]) As(manager string) Client[T] {
	c.asked.Manager = manager
	return c
}

// ListOptions select the objects of a list. The zero value selects all objects in their most recent state.
type ListOptions struct {
	LabelSelector, FieldSelector string
	// Limit is the largest number of objects in a page; 0 means no limit. Continue is the token of an earlier page, and asks for
	// the next one (API concepts, Retrieving large results sets in chunks).
	Limit    int64
	Continue string
	// ResourceVersion and ResourceVersionMatch say which state to list, like the parameters of a request (API concepts, Resource
	// versions). Default: the most recent state.
	ResourceVersion      string
	ResourceVersionMatch apimeta.ResourceVersionMatch
}

// WatchOptions select the events of a watch.
type WatchOptions struct {
	LabelSelector, FieldSelector string
	// ResourceVersion is the version after which the watch begins, usually that of a list. If it is empty, the watch begins with
	// an Added event for each existing object. The watch waits a few seconds for a version that the store has not reached; then
	// it fails with an error for which [status.IsTooLargeResourceVersion] holds.
	ResourceVersion string
}

// DeleteOptions say how to delete an object.
type DeleteOptions struct {
	// Preconditions are the uid and the resourceVersion that the object must have. If it has others, the deletion fails with
	// Conflict.
	Preconditions *apimeta.Preconditions
	// PropagationPolicy says what becomes of the object's dependents.
	PropagationPolicy apimeta.DeletionPropagation
	// GracePeriodSeconds is how long the object has to end, if its kind has a grace period. nil leaves the time to the kind, and
	// 0 deletes at once.
	GracePeriodSeconds *int64
}

// Page is one page of a list. All its items are of the state at ResourceVersion. The caller owns them.
type Page[T any] struct {
	Items           []*T
	ResourceVersion string
	// Continue is the token of the next page, or empty on the last page.
	Continue string
}

// Event is one event of a watch. The caller owns Object. ResourceVersion is the version of the change, also of a deletion.
type Event[T any] struct {
	Type            watch.EventType
	Object          *T
	ResourceVersion string
}

// begin admits a call, so that Shutdown waits for it. The caller calls the returned function when the call has ended. The
// returned context carries the user of the call.
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
	return c.api.calling(ctx, v, c.res, c.namespace), c.api.leaveCall, nil
}

// call is the context of a call of an in-process client.
type call struct {
	context.Context
	host  User
	asked route.Question
}

func (c *call) question() route.Question { return c.asked }

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key.(type) {
	case hostUserKey:
		return c.host
	case accessKey:
		return c
	}
	return c.Context.Value(key)
}

// calling returns the context of a call for many objects. Its user is [Options.HostUser], unless ctx already carries a user: the
// host then acts for that user.
func (a *API) calling(ctx context.Context, v Verb, res *resource.Resource, namespace string) *call {
	return &call{Context: ctx, host: a.options.HostUser, asked: route.Question{
		Verb: string(v), Group: res.GVK.Group, Version: res.GVK.Version, Resource: res.GR.Resource, Namespace: namespace}}
}

// about completes the context of a call for one object, or for its subresource if subresource is not empty. ctx is not yet in use.
func about(ctx context.Context, name, subresource string) {
	q := &ctx.(*call).asked
	if q.Name, q.Subresource = name, subresource; q.Resource == "namespaces" {
		q.Namespace = name
	}
}

// checkNamespace refuses a call about one object if the client has no namespace and the kind needs one, or the other way around.
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

// checkRead refuses an update without a resourceVersion if the kind requires one. A forgotten read is the usual cause, so the
// error names the remedy.
func (c Client[T]) checkRead(obj, old doc.Value) error {
	if c.res.Dialect.UnconditionalUpdate || old.IsAbsent() || objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text() != "" {
		return nil
	}
	return status.Invalid(c.res.GVK.GroupKind(), objectmeta.NameOf(obj), status.FieldErrors{
		status.RequiredField(status.Field("metadata", objectmeta.ResourceVersion), "get the object before you update it, or call Modify")})
}

// theStatus is the name of the subresource that ModifyStatus and the like write through.
const theStatus = "status"

// newWrite begins a write of an object, or of one of its subresources if subresource is not empty. ctx is that of begin.
func (c Client[T]) newWrite(ctx context.Context, name, subresource string) (*resource.Write, error) {
	t := resource.Target{Namespace: c.namespace, Name: name}
	if subresource != "" {
		if t.Through = c.res.FindSubresource(subresource); t.Through == nil {
			return nil, status.ResourceNotFound()
		}
	}
	about(ctx, name, subresource)
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

// Get returns the most recent state of an object, or a NotFound error.
func (c Client[T]) Get(ctx context.Context, name string) (*T, error) {
	return c.get(ctx, name, storage.MostRecent)
}

// GetNotOlderThan returns an object from a state that is at least as recent as resourceVersion; "0" accepts any state (API
// concepts, Resource versions). If the store does not reach the version within a few seconds, the error is one for which
// [status.IsTooLargeResourceVersion] holds.
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

// List returns a page of objects, ordered by namespace and name. An expired token, or a resourceVersion that the store no longer
// holds, is an error for which [status.IsExpired] holds. [Client.All] reads all pages.
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

// listParameters returns the options as the parameters of a list over HTTP.
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

// selectors parses the selectors of a list or a watch, and checks that the resource supports the fields.
func (c Client[T]) selectors(labels, fields string) (p resource.ListParameters, err error) {
	if p.Labels, err = apimeta.ParseSelector(labels); err != nil {
		return p, status.BadRequest(err.Error())
	}
	if p.Fields, err = apimeta.ParseFieldSelector(fields); err != nil {
		return p, status.BadRequest(err.Error())
	}
	return p, c.res.CheckFieldSelector(p.Fields)
}

// document encodes the caller's object, and sets its apiVersion and kind, which the caller need not fill in.
func (c Client[T]) document(obj *T) (doc.Value, error) {
	v, err := codec.FromGo(obj)
	if err != nil {
		return doc.Value{}, status.BadRequest(err.Error())
	}
	v = c.res.WithKind(v)
	return v, c.res.CheckNamespace(v, c.namespace)
}

// Create stores a new object and returns it as stored. If an object of the name exists, the error is AlreadyExists.
// metadata.generateName asks for a generated name.
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

// Update replaces an object, except for its status, and returns it as stored. It fails with Conflict if the object has changed
// since obj was read, and with Invalid if obj has no resourceVersion and the kind requires one (API conventions, Concurrency
// Control and Consistency). [Client.Modify] reads, changes and retries.
func (c Client[T]) Update(ctx context.Context, obj *T) (*T, error) {
	return c.update(ctx, obj, "")
}

// UpdateStatus replaces the status of an object and nothing else. It returns the same errors as Update.
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
	w.Compute(func(old doc.Value) (doc.Value, error) { return c.res.SentByType(v, old), c.checkRead(v, old) })
	out, err := w.Update(ctx)
	if err != nil {
		return nil, err
	}
	return decodeAs[T](c.res, out.JSON)
}

// Delete deletes an object. The object stays, with a deletionTimestamp, while finalizers or its grace period hold it (API
// conventions, Metadata). If it does not exist, the error is NotFound.
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

// Watch yields events until the context ends, the caller breaks out of the loop, or an error occurs, which Watch yields last. An
// error for which [status.IsExpired] holds means that the watch has missed changes: list again and watch from there.
// [Client.Follow] does so by itself.
func (c Client[T]) Watch(ctx context.Context, options WatchOptions) iter.Seq2[Event[T], error] {
	return c.events(ctx, options, (*resource.Resource).Watch)
}
