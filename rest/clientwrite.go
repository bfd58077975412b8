package rest

import (
	"context"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/caller"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// theStatus is the name of the subresource that ModifyStatus and the like write through.
const theStatus = "status"

// write returns a write of an object, or of its subresource if that is not empty. The caller of write completes it.
func (c Client[T]) write(ctx context.Context, v Verb, name, subresource string) (*caller.Write, error) {
	at, err := c.at(v, name, subresource)
	if err != nil {
		return nil, err
	}
	w := &caller.Write{Address: at, Asked: c.asked, Verb: string(v)}
	w.Asked.Agent = userNameIn(ctx)
	w.Tell, _ = ctx.Value(warningsKey{}).(func(string))
	if errs := w.Asked.Validation.Check(); len(errs) > 0 {
		return nil, resource.InvalidOptions("PatchOptions", errs)
	}
	return w, nil
}

// userNameIn returns the name of the user that [WithUser] put into the context, or "". In-process clients write under this name
// by default. It does not fall back to Options.HostUser.
func userNameIn(ctx context.Context) string {
	u, _ := ctx.Value(userKey{}).(User)
	return u.Name
}

// document encodes the caller's object, and sets its apiVersion and kind, which the caller need not fill in.
func (c Client[T]) document(obj *T) (doc.Value, error) {
	if obj == nil {
		return doc.Value{}, status.BadRequest("the object must not be nil")
	}
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
	w, err := c.write(ctx, Create, "", "")
	if err != nil {
		return nil, err
	}
	if w.Object, err = c.document(obj); err != nil {
		return nil, err
	}
	return decoded[T](c.caller.Write(ctx, w))
}

// Update replaces an object, except for its status, and returns it as stored. It fails with Conflict if the object has changed
// since obj was read, and with Invalid if obj has no resourceVersion and the kind requires one (API conventions, Concurrency
// Control and Consistency). [Client.Modify] reads, changes and retries.
func (c Client[T]) Update(ctx context.Context, obj *T) (*T, error) {
	w, err := c.replacement(ctx, obj, "")
	if err != nil {
		return nil, err
	}
	return decoded[T](c.caller.Write(ctx, w))
}

// UpdateStatus replaces the status of an object and nothing else. It returns the same errors as Update.
func (c Client[T]) UpdateStatus(ctx context.Context, obj *T) (*T, error) {
	w, err := c.replacement(ctx, obj, theStatus)
	if err != nil {
		return nil, err
	}
	return decoded[T](c.caller.Write(ctx, w))
}

// replacement returns the write that replaces an object, or its subresource.
func (c Client[T]) replacement(ctx context.Context, obj *T, subresource string) (*caller.Write, error) {
	w, err := c.write(ctx, Update, "", subresource)
	if err != nil {
		return nil, err
	}
	v, err := c.document(obj)
	if err != nil {
		return nil, err
	}
	w.Name, w.Object = objectmeta.NameOf(v), v
	w.Change = func(old doc.Value) (doc.Value, error) { return c.res.SentByType(v, old), c.checkRead(v, old) }
	return w, nil
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

// Modify reads an object, lets f change it, and stores the result. If another write comes first, it starts again with the new
// state (API conventions, Concurrency Control and Consistency). f may therefore run several times, each time with a fresh object;
// if f returns an error, Modify stops and returns it. Changes of the status are ignored.
func (c Client[T]) Modify(ctx context.Context, name string, f func(obj *T) error) (*T, error) {
	return c.modify(ctx, name, "", f)
}

// ModifyStatus is Modify for the status; changes of anything else are ignored. If f changes nothing, nothing is stored and nobody
// sees an event, so a controller may call ModifyStatus each time it reconciles an object.
func (c Client[T]) ModifyStatus(ctx context.Context, name string, f func(obj *T) error) (*T, error) {
	return c.modify(ctx, name, theStatus, f)
}

func (c Client[T]) modify(ctx context.Context, name, subresource string, f func(obj *T) error) (*T, error) {
	w, err := c.write(ctx, Update, name, subresource)
	if err != nil {
		return nil, err
	}
	// There is no loop here, because the caller runs the change again if the write loses a race. The changed object carries the
	// resourceVersion that f saw.
	w.Change = func(old doc.Value) (doc.Value, error) {
		if old.IsAbsent() { // the kind lets an update create the object
			return doc.Value{}, c.res.NotFound(name)
		}
		obj := new(T)
		if err := schema.ToGo(old, obj); err != nil {
			return doc.Value{}, err
		}
		if err := f(obj); err != nil {
			return doc.Value{}, err
		}
		v, err := codec.FromGo(obj)
		if err != nil {
			return doc.Value{}, err
		}
		v = c.res.WithKind(c.res.SentByType(v, old))
		return v, c.res.CheckIdentity(v, c.namespace, name)
	}
	return decoded[T](c.caller.Write(ctx, w))
}

// Delete deletes an object. The object stays, with a deletionTimestamp, while finalizers or its grace period hold it (API
// conventions, Metadata). If it does not exist, the error is NotFound.
func (c Client[T]) Delete(ctx context.Context, name string, options DeleteOptions) error {
	w, err := c.deletion(ctx, Delete, name, options)
	if err != nil {
		return err
	}
	_, err = c.caller.Write(ctx, w)
	return err
}

// DeleteCollection deletes each object that the options select, one after the other, and returns the objects as they were. If a
// deletion fails, DeleteCollection stops and returns the error; objects that it has already deleted stay deleted. Limit bounds
// the number of objects, and Continue resumes after an earlier call.
func (c Client[T]) DeleteCollection(ctx context.Context, options DeleteOptions, selected ListOptions) (*Page[T], error) {
	w, err := c.deletion(ctx, DeleteCollection, "", options)
	if err != nil {
		return nil, err
	}
	return pageOf[T](c.caller.DeleteCollection(ctx, w, selected.parameters()))
}

// deletion returns the write that deletes an object, or each object of a collection.
func (c Client[T]) deletion(ctx context.Context, v Verb, name string, options DeleteOptions) (*caller.Write, error) {
	w, err := c.write(ctx, v, name, "")
	if err != nil {
		return nil, err
	}
	w.Deletion.Preconditions, w.Deletion.GracePeriodSeconds = options.Preconditions, options.GracePeriodSeconds
	if options.PropagationPolicy != "" {
		w.Deletion.PropagationPolicy = &options.PropagationPolicy
	}
	return w, resource.ValidateDeleteOptions(w.Deletion)
}
