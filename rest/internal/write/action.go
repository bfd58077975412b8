package write

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Call runs the action of a subresource on an object. If the returned document is absent, the answer is a plain
// success. An action is not a write of the object, so it takes none of the steps, but admission hooks see it. An action
// with a claim writes the object twice: before it runs and after it.
func (w *Write) Call(ctx context.Context, body doc.Value) (doc.Value, error) {
	if w.Asked.DryRun && !w.Through.RunsDry() {
		return doc.Value{}, status.BadRequest("dryRun is not supported")
	}
	body, err := w.checkAction(ctx, body)
	if err != nil {
		return doc.Value{}, err
	}
	if ctx, err = w.nest(ctx); err != nil {
		return doc.Value{}, err
	}
	record, err := w.res.Get(ctx, w.Target, 0)
	if err != nil {
		return doc.Value{}, err
	}
	text, err := record.JSON(ctx)
	if err != nil {
		return doc.Value{}, err
	}
	if w.before.shown, _, err = codec.DecodeJSON(text); err != nil {
		return doc.Value{}, fmt.Errorf("stored object %v: %w", record.Key, err)
	}
	asked := body
	if body, err = w.admitView(ctx, body, doc.Value{}); err != nil {
		return doc.Value{}, err
	}
	answer, err := w.act(ctx, record.UID, body)
	if err != nil || answer.IsAbsent() {
		return doc.Value{}, err
	}
	return w.withOwnersOf(asked, w.Through.Named(answer, doc.Value{}))
}

// withOwnersOf returns the answer of an action with the managedFields of its body, as if the body were a new object. In
// the built-in dialect, clients see them, although nothing is stored.
func (w *Write) withOwnersOf(body, answer doc.Value) (doc.Value, error) {
	s := w.Through
	if !w.res.Dialect.GoWritten || w.res.Managed == nil || s.Schema.Property("metadata") == nil {
		return answer, nil
	}
	empty, err := codec.FromGo(reflect.New(s.GoType).Interface())
	if err != nil {
		return doc.Value{}, err
	}
	typed := reflect.New(s.GoType).Interface()
	if err := gotype.ToGo(body, typed); err != nil {
		return doc.Value{}, err
	}
	if body, err = codec.FromGo(typed); err != nil {
		return doc.Value{}, err
	}
	// A struct that the body leaves out has members only now, and these may have defaults.
	if body, err = defaultWithin(w.res, s.Schema, body, maxDefaults(w.res, nil)); err != nil {
		return doc.Value{}, err
	}
	by := w.writer()
	by.Part = managed.Whole
	owners := managed.NewKind(s.Schema, s.Kind, empty, nil).Update(doc.Value{}, body, doc.Value{}, by)
	return answer.WithAt(owners, "metadata", objectmeta.ManagedFields), nil
}

// checkAction checks the body of an action and returns it with its defaults. It does not need the object.
func (w *Write) checkAction(ctx context.Context, body doc.Value) (doc.Value, error) {
	if w.Through.Check == nil {
		if err := CheckIdentity(w.res, body, w.Namespace, w.Name); err != nil {
			return doc.Value{}, err
		}
		return w.checkView(body)
	}
	body, err := w.checkView(body)
	if err != nil {
		return doc.Value{}, err
	}
	if err = CheckNamespace(w.res, body, w.Namespace); err == nil {
		err = w.Through.Check(ctx, w.Name, body)
	}
	return body, err
}

// act runs the action on the object with this uid. If the action has a claim, the claim is stored first and settled
// afterwards.
func (w *Write) act(ctx context.Context, uid string, body doc.Value) (answer doc.Value, err error) {
	parent, sub := w.before.shown, w.Through
	if sub.Claim != nil {
		if parent, err = w.claim(ctx, uid, body); err != nil {
			return doc.Value{}, err
		}
	}
	switch {
	case w.Asked.DryRun && sub.DryRun == nil:
		return doc.Value{}, nil
	case w.Asked.DryRun:
		return sub.DryRun(ctx, parent, body)
	case sub.Claim == nil:
		return sub.Create(ctx, parent, body)
	}
	answer, err = sub.Create(ctx, parent, body)
	if unsettled := w.settleClaim(ctx, uid, answer, err); unsettled != nil {
		return doc.Value{}, errors.Join(unsettled, err)
	}
	return answer, err
}

// claim stores the claim of the action and returns the claimed object. The store repeats the claim if another write
// commits first, so of two clients the later one claims the object that the earlier one has claimed. A claim that
// changes nothing cannot stop the second client.
func (w *Write) claim(ctx context.Context, uid string, body doc.Value) (doc.Value, error) {
	write := w.recording(uid, func(old doc.Value) (doc.Value, error) { return w.Through.Claim(ctx, old, body) })
	out, err := write.Update(ctx)
	if err != nil {
		return doc.Value{}, err
	}
	claimed, _, err := codec.DecodeJSON(out.JSON)
	if err != nil {
		return doc.Value{}, fmt.Errorf("claimed object: %w", err)
	}
	before, after := objectmeta.Of(write.before.shown), objectmeta.Of(claimed)
	stored := !doc.Equal(before.Get(objectmeta.ResourceVersion), after.Get(objectmeta.ResourceVersion))
	if write.done || !stored && !w.Asked.DryRun {
		return doc.Value{}, status.InternalError(fmt.Errorf("the Claim of %q changed nothing, so the action could run twice",
			w.Through.Name))
	}
	return claimed, nil
}

// settleTime limits the write that settles a claim. It does not end with the request, because the client may have gone
// away.
const settleTime = 10 * time.Second

// settleClaim records the outcome of the action in the object. If somebody has removed the object meanwhile, there is
// nothing to record.
func (w *Write) settleClaim(ctx context.Context, uid string, answer doc.Value, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	write := w.recording(uid, func(old doc.Value) (doc.Value,
		error) {
		return w.Through.Settle(ctx, old, answer, failure)
	})
	out, err := write.Update(ctx)
	if err == nil || out.Missing || write.removed {
		return nil
	}
	text := fmt.Errorf("the outcome of %q is not recorded, so the object stays claimed", w.Through.Name)
	return status.InternalError(text).WithCause(errors.Join(err, failure))
}

// recording is a write in which an action records its state.
type recording struct {
	*Write
	removed bool // another object has the name now
}

// recording returns a write of the status of the object with this uid or, if the kind has no status, of the object.
func (w *Write) recording(uid string, change Change) *recording {
	target := resource.Target{Namespace: w.Namespace, Name: w.Name, Only: w.Only}
	if w.res.HasStatus() {
		target.Through = w.res.FindSubresource("status")
	}
	asked := Asked{DryRun: w.Asked.DryRun, Manager: w.Asked.Manager, Agent: w.Asked.Agent, Trusted: true}
	r := &recording{Write: w.writes.New(w.res, target, asked)}
	r.Compute(func(old doc.Value) (doc.Value, error) {
		if r.removed = objectmeta.Of(old).Get(objectmeta.UID).Text() != uid; r.removed {
			return doc.Value{}, w.res.NotFound(w.Name)
		}
		return change(old)
	})
	return r
}
