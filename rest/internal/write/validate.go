package write

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// validate refuses an object that breaks the rules of its version, and a deletion that the host's hook forbids.
func (w *Write) validate(ctx context.Context) error {
	if w.deletion != nil {
		return w.validateDelete(ctx)
	}
	return w.refuseFaults(ctx, w.draft.defaulted, w.after.shown)
}

// validateUnchanged validates the old object as the result of a write that changes nothing. As upstream, it refuses an
// unchanged object for its transition rules, and for what a newer declaration no longer permits even in values that
// stay as they are.
func (w *Write) validateUnchanged(ctx context.Context) (err error) {
	old := w.before.shown
	same := defaulted{now: old, wanted: old}
	if w.res.GoType.SetHooks().Validate {
		if same.typed, err = typedOld(w.res, old); err != nil {
			return err
		}
	}
	return w.refuseFaults(ctx, same, old)
}

// refuseFaults returns the error for everything that is wrong with an object by the rules of its version. owned is the
// object with its managedFields.
func (w *Write) refuseFaults(ctx context.Context, obj defaulted, owned doc.Value) error {
	errs, err := w.faults(ctx, obj, owned)
	if err != nil || len(errs) == 0 {
		return err
	}
	return w.invalid(obj.now, errs)
}

func (w *Write) faults(ctx context.Context, obj defaulted, owned doc.Value) (status.FieldErrors, error) {
	errs := w.checkRules(obj.wanted, (*schema.Schema).CheckRules)
	errs = append(errs, objectmeta.ValidateManagedFields(owned)...)
	broken, err := w.checkByRules(ctx, obj.now, errs)
	if err != nil {
		return nil, err
	}
	errs = append(errs, broken...)
	if !w.res.GoType.SetHooks().Validate {
		return errs, nil
	}
	before, err := typedOld(w.res, w.before.shown)
	if err != nil {
		return nil, err
	}
	more, err := w.res.GoType.RunValidate(ctx, obj.typed, before)
	return append(errs, more...), err
}

// invalid returns the Invalid error for these faults. In the steps of the stored version, each field names that
// version.
func (w *Write) invalid(obj doc.Value, errs status.FieldErrors) error {
	if w.requested != nil {
		named := make(status.FieldErrors, len(errs))
		for i, e := range errs {
			inVersion := *e
			inVersion.Field = w.where() + e.Field
			named[i] = &inVersion
		}
		errs = named
	}
	return status.Invalid(w.res.Stored.GVK.GroupKind(), objectmeta.NameOf(obj), errs)
}

// where returns the prefix of field paths in errors about the stored version.
func (w *Write) where() string { return "in " + w.res.VersionBeside(w.requested) + ": " }

// checkRules checks an object by all rules except the host's, in upstream's order. bySchema checks values one by one;
// in a write of /status, it checks only the status.
func (w *Write) checkRules(
	obj doc.Value, bySchema func(s *schema.Schema, path *status.Path, v, old doc.Value) status.FieldErrors,
) status.FieldErrors {
	res, old, part := w.res, w.before.shown, w.Part()
	errs := w.checkMetadata(obj)
	if part != resource.StatusPart {
		errs = append(errs, bySchema(res.Schema, nil, obj, old)...)
	} else if s := res.Schema.Member("status"); s != nil {
		errs = append(errs, bySchema(s, status.NewPath("status"), obj.Get("status"), old.Get("status"))...)
	}
	errs = append(errs, res.Strategy.Validate(obj, old, part)...)
	errs = append(errs, res.ValidateScale(obj, part)...)
	if res.Schema.Embeds() {
		errs = append(errs, checkEmbedded(res, obj)...)
	}
	errs = append(errs, res.Schema.CheckRepeats(nil, obj, old)...)
	if old.IsAbsent() {
		return errs
	}
	return append(errs, res.Schema.CheckFixed(nil, obj, old)...)
}

// checkMetadata checks the metadata by the rules that all kinds share.
func (w *Write) checkMetadata(obj doc.Value) status.FieldErrors {
	res := w.res
	errs, warnings := objectmeta.Rules{
		CheckName: res.Traits.CheckName, Namespaced: res.Kind.Namespaced, Nameless: res.Kind.Virtual,
		Core: res.Dialect.CoreMetadata, WarnOfBareFinalizers: res.Dialect.FinalizerWarnings,
	}.Validate(obj, w.before.shown)
	for _, text := range warnings {
		w.Warnings.add(text)
	}
	return errs
}

// dropRepeatedOwners removes duplicate owner references and warns about them.
func (w *Write) dropRepeatedOwners(obj doc.Value, stage objectmeta.Stage) doc.Value {
	obj, warning := objectmeta.WithoutRepeatedOwners(obj, stage)
	if warning != "" {
		w.Warnings.add(warning)
	}
	return obj
}

// checkByRules evaluates the kind's validation rules. If faults contains an error of a type or a size, the rules do not
// run, because an expression could fail on such values; the error says so.
func (w *Write) checkByRules(ctx context.Context, obj doc.Value,
	faults status.FieldErrors) (broken status.FieldErrors, err error) {
	if w.res.Rules == nil {
		return nil, nil
	}
	for _, fault := range faults {
		switch fault.Type {
		case status.CauseNotSupported, status.CauseRequired, status.CauseTooLong, status.CauseTooMany,
			status.CauseTypeInvalid:
			unchecked := status.InvalidField(nil, nil, "some validation rules were not checked because the object was invalid; "+
				"correct the existing errors to complete validation")
			unchecked.Field = "<nil>" // upstream's name for the object itself
			return status.FieldErrors{unchecked}, nil
		}
	}
	defer resource.EnterHook(ctx, "Rules").Leave(&err)
	if w.observer != nil {
		within, ended := w.observer.Begin(ctx, observe.Step{Kind: observe.StepRules})
		ctx = within
		defer func() { ended(observe.StepResult{Err: err}) }()
	}
	broken, before := w.res.Rules.Check(ctx, obj, w.before.shown)
	if ctx.Err() != nil { // the rules stopped early, so their result is incomplete
		return nil, ctx.Err()
	}
	for _, b := range before {
		w.Warnings.addAlways(b.Error())
	}
	return broken, nil
}
