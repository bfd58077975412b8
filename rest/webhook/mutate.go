package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// jsonPatch is the only type of patches that webhooks return.
const jsonPatch = "JSONPatch"

// reinvocation decides which webhooks are called once more for a write. The webhooks are those whose reinvocationPolicy
// is IfNeeded.
type reinvocation struct {
	called map[string]bool // since the object last changed
	again  map[string]bool // the object has changed since they were called
	left   doc.Value       // the object after the last webhook
}

// changed says that the object has changed.
func (r *reinvocation) changed() {
	for id := range r.called {
		r.again[id] = true
	}
	clear(r.called)
}

// mutate calls the mutating webhooks one after another. When it runs for the second time in an attempt, it calls only
// webhooks that it has called before, and only if the object has changed since.
func (d *dispatch) mutate(ctx context.Context, registered []*webhook) (err error) {
	state, repeated := d.request.Remembered().(*reinvocation)
	if !repeated {
		state = &reinvocation{called: map[string]bool{}, again: map[string]bool{}}
		d.request.Remember(state)
	}
	object, err := d.object()
	if err != nil {
		return err
	}
	if repeated && !doc.Equal(object, state.left) {
		state.changed()
	}
	for _, w := range registered {
		in, matches, err := d.matches(ctx, w)
		if err != nil {
			return err
		}
		if !matches || repeated && !state.again[w.id()] {
			continue
		}
		changed, err := false, error(nil)
		if done, crowded := d.waitOutside(ctx, w.id()); crowded != nil {
			err = &callError{w.name, crowded}
		} else {
			changed, err = d.callMutating(ctx, w, in)
			done()
		}
		if changed {
			state.changed()
			d.request.MutateAgain()
		}
		if w.reinvocable {
			state.called[w.id()] = true
		}
		if err := d.outcome(ctx, w, err); err != nil {
			return err
		}
	}
	state.left, err = d.object()
	return err
}

// object returns the object as it is now, in the version of the request.
func (d *dispatch) object() (object doc.Value, err error) {
	_, err = d.request.ObjectIn(d.request.Version(), &object)
	return object, err
}

// id tells a webhook from all others.
func (w *webhook) id() string { return w.configuration + "/" + w.name }

// callMutating calls one webhook, and reports whether it has changed the object.
func (d *dispatch) callMutating(ctx context.Context, w *webhook, in admission.KindVersion) (changed bool, err error) {
	if err := d.checkDryRun(w); err != nil {
		return false, err
	}
	request, err := d.question(in)
	if err != nil {
		return false, err
	}
	a, err := d.ask(ctx, w, request)
	if err != nil {
		return false, err
	}
	d.heed(ctx, w, a)
	if !a.Allowed {
		return false, a.refusal(w.name)
	}
	if len(a.Patch) == 0 {
		return false, nil
	}
	return d.patch(w, a, in)
}

// patch applies the patch of an answer.
func (d *dispatch) patch(w *webhook, a *answer, in admission.KindVersion) (changed bool, err error) {
	p, err := docpatch.ParseJSONPatch(a.Patch)
	if err != nil {
		return false, &callError{w.name, fmt.Errorf("received undecodable patch in webhook response: %w", w.withheld(err))}
	}
	if v, _, err := codec.DecodeJSON(a.Patch); err == nil && v.Len() == 0 {
		return false, nil
	}
	var object doc.Value
	found, err := d.request.ObjectIn(in, &object)
	if err != nil {
		return false, status.InternalError(err)
	}
	if !found {
		return false, status.InternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", w.name))
	}
	if a.PatchType != nil && *a.PatchType != jsonPatch {
		return false, &callError{w.name, w.withheld(fmt.Errorf("unsupported patch type %q", *a.PatchType))}
	}
	after, err := p.Apply(object)
	if err != nil {
		if failed, ok := errors.AsType[*docpatch.OperationError](err); ok {
			err = failed // it says more than the error for clients that send patches
		}
		return false, status.InternalError(w.withheld(err))
	}
	if doc.Equal(after, object) {
		return false, nil
	}
	if after.Kind() != doc.Map {
		return false, status.InternalError(fmt.Errorf("admission webhook %q returned a patch whose result is not an object",
			w.name))
	}
	return true, d.request.ReplaceObjectIn(in, after)
}
