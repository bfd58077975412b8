package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// invoked identifies an invocation in both rounds of mutations.
type invoked struct{ policy, binding, paramsNamespace, params string }

func (i *invocation) key() invoked {
	m := objectmeta.Of(i.params)
	return invoked{i.name, i.binding.name, m.Get(objectmeta.Namespace).Text(), m.Get(objectmeta.Name).Text()}
}

// rounds is what the first round of mutations leaves for the second one.
type rounds struct {
	left      doc.Value        // the object after the first round, in the version of the request
	earlier   []invoked        // policies that mutate again if the object changes after them
	reinvoked map[invoked]bool // those for which it has changed
}

// changed takes note that the object has changed after the earlier policies.
func (r *rounds) changed() {
	for _, k := range r.earlier {
		r.reinvoked[k] = true
	}
	r.earlier = nil
}

// mutate lets mutating policies change the object, one after another. In the second round, those policies run again
// that ask for it and that have not seen a later change.
func (w *reviewed) mutate(ctx context.Context, active []activePolicy) error {
	all, failures := w.invocations(ctx, active)
	r, again := w.request.Remembered().(*rounds)
	if !again {
		r = &rounds{reinvoked: map[invoked]bool{}}
		w.request.Remember(r)
	}
	object, err := w.object(w.request.Version())
	if err != nil {
		return err
	}
	if again && !doc.Equal(object, r.left) { // hooks outside of this package have changed it
		r.changed()
	}
	for _, i := range all {
		failed, changed, err := w.invoke(ctx, i, r, again)
		if err != nil {
			return err
		}
		failures = append(failures, failed...)
		if changed {
			w.request.MutateAgain()
		}
	}
	if r.left, err = w.object(w.request.Version()); err != nil {
		return err
	}
	return w.refuse(failures)
}

// invoke evaluates one policy, and reports whether the object has changed. An error ends the write, regardless of the
// failure policy.
func (w *reviewed) invoke(ctx context.Context, i invocation, r *rounds,
	again bool) (failures []failure, changed bool, err error) {
	fail := func(err error) {
		failures = append(failures, failure{i.policy, i.binding.name, err.Error(), status.ReasonInvalid})
	}
	in, err := w.input(ctx, i)
	if err != nil {
		return nil, false, err
	}
	program, err := i.program(w.policies.language)
	if err != nil {
		return nil, false, err
	}
	switch matches, err := w.matchConditions(ctx, program, in); {
	case err != nil:
		fail(err)
		return failures, false, nil
	case !matches, again && !r.reinvoked[i.key()]:
		return nil, false, nil
	}
	before := in.Object
	for n := range program.mutations {
		if before.IsAbsent() {
			break
		}
		if in.Object, err = w.mutateOnce(ctx, i, n, in); err == nil {
			continue
		}
		if _, ok := errors.AsType[*status.Error](err); ok || ctx.Err() != nil {
			return nil, false, err
		}
		fail(err)
	}
	if changed = !doc.Equal(before, in.Object); changed {
		r.changed()
	}
	if key := i.key(); i.mutating.ReinvocationPolicy == ar.IfNeededReinvocationPolicy && !slices.Contains(r.earlier, key) {
		r.earlier = append(r.earlier, key)
	}
	return failures, changed, nil
}

// mutateOnce evaluates one mutation of a policy, and returns the object after it. With an error it returns the object
// as it was.
func (w *reviewed) mutateOnce(ctx context.Context, i invocation, n int, in *rules.Input) (doc.Value, error) {
	x := i.compiled.mutations[n]
	if x.fault != nil {
		return in.Object, x.fault
	}
	result, err := i.compiled.scope.Evaluate(in, rules.PolicyBudget).Value(ctx, x.Expression)
	if err != nil {
		return in.Object, err
	}
	var after doc.Value
	if i.mutating.Mutations[n].PatchType == ar.PatchTypeJSONPatch {
		after, err = patched(in.Object, result)
	} else if err = w.request.MergedIn(i.in, result, &after); err != nil {
		err = fmt.Errorf("error applying patch: %w", err)
	}
	if err != nil || doc.Equal(after, in.Object) {
		return in.Object, err
	}
	if err := w.request.ReplaceObjectIn(i.in, after); err != nil {
		return in.Object, err
	}
	return w.object(i.in)
}

// object returns the object as it is now, in a version.
func (w *reviewed) object(in admission.KindVersion) (object doc.Value, err error) {
	_, err = w.request.ObjectIn(in, &object)
	return object, err
}

// patched applies a JSON patch to an object. A test that fails leaves the object as it is.
func patched(object, operations doc.Value) (doc.Value, error) {
	patch, err := docpatch.ParseJSONPatch(codec.AppendJSON(nil, operations))
	if err != nil {
		return doc.Value{}, err
	}
	after, err := patch.Apply(object)
	switch {
	case errors.Is(err, docpatch.ErrTestFailed):
		return object, nil
	case err != nil:
		if cause, ok := errors.AsType[*docpatch.OperationError](err); ok {
			err = cause
		}
		return doc.Value{}, errors.New("JSON Patch: " + err.Error()) // no Status, because the failure policy decides
	}
	return after, nil
}

// refuse returns the error of the policies that could not be evaluated and whose failure policy is Fail.
func (w *reviewed) refuse(failures []failure) error {
	failures = slices.DeleteFunc(failures, func(f failure) bool { return f.policy.ignore })
	if len(failures) == 0 {
		return nil
	}
	err := w.forbidden("")
	err.Status.Message = ""
	for _, f := range failures {
		message := fmt.Sprintf("policy %q denied request: %s", f.policy.name, f.message)
		if f.binding != "" {
			message = fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", f.policy.name, f.binding, f.message)
		}
		if err.Status.Message == "" {
			err.Status.Message = message
			err.Status.Reason = cmp.Or(f.reason, err.Status.Reason)
		}
		err.Status.Details.Causes = append(err.Status.Details.Causes, status.Cause{Message: message})
	}
	return err
}
