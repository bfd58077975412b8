package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// hook is one of the functions of [Hooks].
type hook int

const (
	defaultHook hook = iota
	canonicalizeHook
	prepareHook
	validateHook
	validateDeleteHook
	gracePeriodHook
	callHook
	callDryRunHook
)

// String returns the name of the field.
func (h hook) String() string {
	return [...]string{"Default", "Canonicalize", "Prepare", "Validate", "ValidateDelete", "GracePeriod", "Call", "CallDryRun"}[h]
}

// runner calls a hook and returns what the hook returns. old is nil on create. obj and old are pointers to the Go type.
type runner func(ctx context.Context, which hook, obj, old any, asked *int64) (status.FieldErrors, int64, error)

// hooks is a [Hooks] whose type parameter is the pointer to the Go type.
type hooks[P any] struct {
	Default        func(ctx context.Context, obj P) error
	Canonicalize   func(ctx context.Context, obj P) error
	Prepare        func(ctx context.Context, obj, old P) error
	Validate       func(ctx context.Context, obj, old P) (status.FieldErrors, error)
	ValidateDelete func(ctx context.Context, obj P) error
	GracePeriod    func(ctx context.Context, obj P, asked *int64) (seconds int64, err error)
	Call           func(ctx context.Context, obj P) error
	CallDryRun     func(ctx context.Context, obj P) error
}

// runner returns the runner. If Go inlined it, the function would exist once for each kind.
//
//go:noinline
func (h hooks[P]) runner() runner { return h.run }

// run is a [runner].
func (h hooks[P]) run(ctx context.Context, which hook, obj, old any, asked *int64) (errs status.FieldErrors,
	seconds int64, err error) {
	now, _ := obj.(P)
	before, _ := old.(P)
	switch which {
	case defaultHook:
		err = h.Default(ctx, now)
	case canonicalizeHook:
		err = h.Canonicalize(ctx, now)
	case prepareHook:
		err = h.Prepare(ctx, now, before)
	case validateHook:
		errs, err = h.Validate(ctx, now, before)
	case validateDeleteHook:
		err = h.ValidateDelete(ctx, now)
	case gracePeriodHook:
		seconds, err = h.GracePeriod(ctx, now, asked)
	case callHook:
		err = h.Call(ctx, now)
	case callDryRunHook:
		err = h.CallDryRun(ctx, now)
	}
	return errs, seconds, err
}

// A declared implements resource.GoType. Values of the Go type are an any here, so package resource needs no type
// parameters.

func (d *declared) Decode(json []byte) (any, error) {
	obj := reflect.New(d.goType).Interface()
	return obj, codec.Unmarshal(json, obj)
}

func (d *declared) ObjectType() reflect.Type { return d.goType }

func (d *declared) SetHooks() resource.HookSet { return d.hookSet }

// call runs a hook. If the hook panics, call returns a [resource.PanicError].
func (d *declared) call(ctx context.Context, which hook, obj, old any, asked *int64) (errs status.FieldErrors,
	seconds int64, err error) {
	defer resource.EnterHook(ctx, which.String()).Leave(&err)
	return d.run(ctx, which, obj, old, asked)
}

func (d *declared) RunDefault(ctx context.Context, obj any) error {
	_, _, err := d.call(ctx, defaultHook, obj, nil, nil)
	return err
}

func (d *declared) RunCanonicalize(ctx context.Context, obj any) error {
	_, _, err := d.call(ctx, canonicalizeHook, obj, nil, nil)
	return err
}

func (d *declared) RunPrepare(ctx context.Context, obj, old any) error {
	_, _, err := d.call(ctx, prepareHook, obj, old, nil)
	return err
}

func (d *declared) RunValidate(ctx context.Context, obj, old any) (status.FieldErrors, error) {
	errs, _, err := d.call(ctx, validateHook, obj, old, nil)
	return errs, err
}

func (d *declared) RunValidateDelete(ctx context.Context, obj any) error {
	_, _, err := d.call(ctx, validateDeleteHook, obj, nil, nil)
	return err
}

func (d *declared) RunGracePeriod(ctx context.Context, obj any, asked *int64) (int64, error) {
	_, seconds, err := d.call(ctx, gracePeriodHook, obj, nil, asked)
	return seconds, err
}

func (d *declared) RunCall(ctx context.Context, obj any, dryRun bool) error {
	which := callHook
	if dryRun && d.has("CallDryRun") {
		which = callDryRunHook
	}
	_, _, err := d.call(ctx, which, obj, nil, nil)
	return err
}
