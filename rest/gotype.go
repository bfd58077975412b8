package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// hook is one of the functions of [Hooks].
type hook int

const (
	defaultHook hook = iota
	prepareHook
	validateHook
	validateDeleteHook
	gracePeriodHook
	callHook
	callDryRunHook
)

// run calls a hook, and returns what the hook returns. old is nil on create. It is the only function of hooks that knows
// the Go type, because a further kind costs a host as much code as it has such functions.
func (h Hooks[T]) run(ctx context.Context, which hook, obj, old any, asked *int64) (errs status.FieldErrors,
	seconds int64, err error) {
	of := obj.(*T)
	before, _ := old.(*T)
	switch which {
	case defaultHook:
		err = h.Default(ctx, of)
	case prepareHook:
		err = h.Prepare(ctx, of, before)
	case validateHook:
		errs = h.Validate(ctx, of, before)
	case validateDeleteHook:
		err = h.ValidateDelete(ctx, of)
	case gracePeriodHook:
		seconds, err = h.GracePeriod(ctx, of, asked)
	case callDryRunHook:
		err = h.CallDryRun(ctx, of)
	case callHook:
		err = h.Call(ctx, of)
	}
	return errs, seconds, err
}

// runner is [Hooks].run for a Go type.
type runner func(ctx context.Context, which hook, obj, old any, asked *int64) (status.FieldErrors, int64, error)

// typed implements resource.GoType for a kind. Documents and any become values of the Go type here, so package resource
// needs no type parameters. A hook that panics returns a [resource.PanicError].
type typed struct{ *declared }

func (t typed) Decode(json []byte) (any, error) {
	obj := reflect.New(t.goType).Interface()
	return obj, codec.Unmarshal(json, obj)
}

func (t typed) FromDocument(v doc.Value) (any, error) {
	obj := reflect.New(t.goType).Interface()
	return obj, gotype.ToGo(v, obj)
}

func (t typed) ToDocument(obj any) (doc.Value, error) { return codec.FromGo(obj) }

func (t typed) ObjectType() reflect.Type { return t.goType }

func (t typed) SetHooks() resource.HookSet { return t.hookSet }

func (t typed) RunDefault(ctx context.Context, obj any) (err error) {
	defer resource.EnterHook(ctx, "Default").Leave(&err)
	_, _, err = t.run(ctx, defaultHook, obj, nil, nil)
	return err
}

func (t typed) RunPrepare(ctx context.Context, obj, old any) (err error) {
	defer resource.EnterHook(ctx, "Prepare").Leave(&err)
	_, _, err = t.run(ctx, prepareHook, obj, old, nil)
	return err
}

func (t typed) RunValidate(ctx context.Context, obj, old any) (errs status.FieldErrors, err error) {
	defer resource.EnterHook(ctx, "Validate").Leave(&err)
	errs, _, err = t.run(ctx, validateHook, obj, old, nil)
	return errs, err
}

func (t typed) RunValidateDelete(ctx context.Context, obj any) (err error) {
	defer resource.EnterHook(ctx, "ValidateDelete").Leave(&err)
	_, _, err = t.run(ctx, validateDeleteHook, obj, nil, nil)
	return err
}

func (t typed) RunGracePeriod(ctx context.Context, obj any, asked *int64) (seconds int64, err error) {
	defer resource.EnterHook(ctx, "GracePeriod").Leave(&err)
	_, seconds, err = t.run(ctx, gracePeriodHook, obj, nil, asked)
	return seconds, err
}

func (t typed) RunCall(ctx context.Context, obj any, dryRun bool) (err error) {
	which, name := callHook, "Call"
	if dryRun && t.has("CallDryRun") {
		which, name = callDryRunHook, "CallDryRun"
	}
	defer resource.EnterHook(ctx, name).Leave(&err)
	_, _, err = t.run(ctx, which, obj, nil, nil)
	return err
}
