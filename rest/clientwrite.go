package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// theStatus is the subresource through which UpdateStatus, ModifyStatus, PatchStatus and ApplyStatus write.
const theStatus = "status"

// write begins a write of an object or, if subresource is not empty, of that subresource. Its caller sets the remaining
// fields.
func (c *client) write(ctx context.Context, v access.Verb, name, subresource string) (*service.Wanted, error) {
	at, err := c.at(v, name, subresource)
	if err != nil {
		return nil, err
	}
	w := &service.Wanted{Address: at, Asked: c.asked, Verb: string(v)}
	w.Asked.Agent = userNameIn(ctx)
	if c.user != nil {
		w.Asked.Agent = c.user.Name
	}
	if errs := write.CheckValidation(w.Asked.Validation); len(errs) > 0 {
		return nil, resource.InvalidOptions("PatchOptions", errs)
	}
	return w, nil
}

// userNameIn returns the name of the user that [access.WithUser] put into the context, or "". In-process clients use it as the
// default field manager. It ignores Options.HostUser.
func userNameIn(ctx context.Context) string {
	u, _ := ctx.Value(keys.User{}).(access.User)
	return u.Name
}

// document encodes the caller's object. It sets apiVersion and kind, so the caller need not.
func (c *client) document(obj any) (doc.Value, error) {
	if reflect.ValueOf(obj).IsNil() {
		return doc.Value{}, status.BadRequest("the object must not be nil")
	}
	v, err := codec.FromGo(obj)
	if err != nil {
		return doc.Value{}, status.BadRequest(err.Error())
	}
	v = c.res.WithKind(v)
	return v, write.CheckNamespace(c.res, v, c.namespace)
}

// Create stores a new object and returns it as stored. It returns AlreadyExists if the name is taken. If
// metadata.generateName is set and the name is empty, the server generates a name.
func (c calls[P]) Create(ctx context.Context, obj P) (P, error) {
	return as[P](c.create(ctx, obj))
}

func (c *client) create(ctx context.Context, obj any) (any, error) {
	w, err := c.write(ctx, access.VerbCreate, "", "")
	if err != nil {
		return nil, err
	}
	if w.Object, err = c.document(obj); err != nil {
		return nil, err
	}
	return c.decode(c.do(ctx, w))
}

// Update replaces an object, except for its status, and returns it as stored. It returns Conflict if the object has
// changed since the caller read it, and Invalid if obj has no resourceVersion but the kind requires one (API
// conventions, Concurrency Control and Consistency). [Client.Modify] reads, changes and retries.
func (c calls[P]) Update(ctx context.Context, obj P) (P, error) {
	return as[P](c.replace(ctx, obj, ""))
}

// UpdateStatus replaces only the status of an object. It returns the same errors as Update.
func (c calls[P]) UpdateStatus(ctx context.Context, obj P) (P, error) {
	return as[P](c.replace(ctx, obj, theStatus))
}

// replace replaces an object or a subresource.
func (c *client) replace(ctx context.Context, obj any, subresource string) (any, error) {
	w, err := c.write(ctx, access.VerbUpdate, "", subresource)
	if err != nil {
		return nil, err
	}
	v, err := c.document(obj)
	if err != nil {
		return nil, err
	}
	w.Name, w.Object = objectmeta.NameOf(v), v
	res := c.res
	w.Change = func(old doc.Value) (doc.Value, error) { return res.SentByType(v, old), checkRead(res, v, old) }
	return c.decode(c.do(ctx, w))
}

// checkRead refuses an update without a resourceVersion if the kind requires one. Usually the caller has not read the
// object, so the error says to read it first.
func checkRead(res *resource.Resource, obj, old doc.Value) error {
	version := func(v doc.Value) string { return objectmeta.Of(v).Get(objectmeta.ResourceVersion).Text() }
	uncommitted := !old.IsAbsent() && version(old) == "" // a transaction has written it, and only its function has read it
	if res.Dialect.UnconditionalUpdate || old.IsAbsent() || uncommitted || version(obj) != "" {
		return nil
	}
	return status.Invalid(res.GVK.GroupKind(), objectmeta.NameOf(obj), status.FieldErrors{
		status.RequiredField(status.NewPath("metadata", objectmeta.ResourceVersion),
			"get the object before you update it, or call Modify")})
}

// Modify reads an object, lets f change it, and stores the result. If another client writes the object in between,
// Modify starts again with the new state (API conventions, Concurrency Control and Consistency). So f may run several
// times, each time with a fresh object. If f returns an error, Modify stops and returns it. Modify ignores changes of
// the status.
func (c calls[P]) Modify(ctx context.Context, name string, f func(obj P) error) (P, error) {
	return as[P](c.modify(ctx, name, "", untypedChange(f)))
}

// ModifyStatus is Modify for the status. It ignores all other changes. If f changes nothing, ModifyStatus writes
// nothing, so a controller may call it in every reconcile.
func (c calls[P]) ModifyStatus(ctx context.Context, name string, f func(obj P) error) (P, error) {
	return as[P](c.modify(ctx, name, theStatus, untypedChange(f)))
}

// untypedChange returns a function of the host on the pointer P.
func untypedChange[P any](f func(obj P) error) func(obj any) error {
	return func(obj any) error { return f(obj.(P)) }
}

func (c *client) modify(ctx context.Context, name, subresource string, f func(obj any) error) (any, error) {
	w, err := c.write(ctx, access.VerbUpdate, name, subresource)
	if err != nil {
		return nil, err
	}
	res, namespace := c.res, c.namespace
	// No loop is necessary: the service calls Change again if the write loses a race. The changed object has the
	// resourceVersion that f saw.
	w.Change = func(old doc.Value) (doc.Value, error) {
		if old.IsAbsent() { // an update may create an object of this kind
			return doc.Value{}, res.NotFound(name)
		}
		obj, err := res.FromDocument(old)
		if err != nil {
			return doc.Value{}, err
		}
		if err := f(obj); err != nil {
			return doc.Value{}, err
		}
		v, err := res.ToDocument(obj, old)
		if err != nil {
			return doc.Value{}, err
		}
		v = res.WithKind(res.SentByType(v, old))
		return v, write.CheckIdentity(res, v, namespace, name)
	}
	return c.decode(c.do(ctx, w))
}

// Delete deletes an object. While finalizers or the grace period hold the object, it remains with a deletionTimestamp
// (API conventions, Metadata). Delete returns NotFound if the object does not exist.
func (c *client) Delete(ctx context.Context, name string, options DeleteOptions) error {
	w, err := c.deletion(ctx, access.VerbDelete, name, &options)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, w)
	return err
}

// DeleteCollection deletes the selected objects one after the other, and returns them in their last state. If a
// deletion fails, DeleteCollection stops and returns the error, without restoring the objects that it has already
// deleted. Limit bounds the number of objects, and Continue resumes after an earlier call.
func (c Client[T]) DeleteCollection(ctx context.Context, options DeleteOptions,
	selected ListOptions) (*Page[T], error) {
	deleted, err := c.deletedPage(ctx, &options, &selected)
	return (*Page[T])(deleted), err
}

func (c *calls[P]) deletedPage(ctx context.Context, options *DeleteOptions, selected *ListOptions) (*page[P], error) {
	var items []P
	found, err := c.deleteCollection(ctx, options, selected, func(obj any) { items = append(items, obj.(P)) })
	return pageOf(items, found, err)
}

// deleteCollection calls add with each deleted object.
func (c *client) deleteCollection(ctx context.Context, options *DeleteOptions, selected *ListOptions,
	add func(obj any)) (service.Page, error) {
	w, err := c.deletion(ctx, access.VerbDeleteCollection, "", options)
	if err != nil {
		return service.Page{}, err
	}
	defer collectWarnings(ctx, w)()
	return c.service.DeleteCollection(service.Caller{Context: ctx}, w, selected.selected(), c.adding(add))
}

// deletion returns the write that deletes an object, or each object of a collection.
func (c *client) deletion(ctx context.Context, v access.Verb, name string, options *DeleteOptions) (*service.Wanted, error) {
	w, err := c.write(ctx, v, name, "")
	if err != nil {
		return nil, err
	}
	w.Deletion.Preconditions, w.Deletion.GracePeriodSeconds = options.Preconditions, options.GracePeriodSeconds
	if options.PropagationPolicy != "" {
		policy := options.PropagationPolicy
		w.Deletion.PropagationPolicy = &policy
	}
	return w, write.ValidateDeleteOptions(w.Deletion)
}
