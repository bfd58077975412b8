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

// typed implements resource.GoType for a Resource[T]. Documents and any become T here, so package resource needs no
// type parameters. A hook that panics returns a [resource.PanicError].
type typed[T any] struct{ Resource[T] }

func (t *typed[T]) Decode(json []byte) (any, error) {
	obj := new(T)
	return obj, codec.Unmarshal(json, obj)
}

func (t *typed[T]) FromDocument(v doc.Value) (any, error) {
	obj := new(T)
	return obj, gotype.ToGo(v, obj)
}

func (t *typed[T]) ToDocument(obj any) (doc.Value, error) { return codec.FromGo(obj) }

func (t *typed[T]) ObjectType() reflect.Type { return reflect.TypeFor[T]() }

func (t *typed[T]) SetHooks() resource.HookSet {
	return resource.HookSet{Defaults: t.Resource.Hooks.Default != nil, Prepare: t.Resource.Hooks.Prepare != nil,
		Canonicalize: t.Resource.Hooks.Canonicalize != nil,
		Validate:     t.Resource.Hooks.Validate != nil, ValidateDelete: t.Resource.Hooks.ValidateDelete != nil,
		GracePeriod: t.Resource.Hooks.GracePeriod != nil}
}

func (t *typed[T]) RunDefault(ctx context.Context, obj any) (err error) {
	defer resource.EnterHook(ctx, "Default").Leave(&err)
	return t.Resource.Hooks.Default(ctx, obj.(*T))
}

func (t *typed[T]) RunCanonicalize(ctx context.Context, obj any) (err error) {
	defer resource.EnterHook(ctx, "Canonicalize").Leave(&err)
	return t.Resource.Hooks.Canonicalize(ctx, obj.(*T))
}

func (t *typed[T]) RunPrepare(ctx context.Context, obj, old any) (err error) {
	defer resource.EnterHook(ctx, "Prepare").Leave(&err)
	before, _ := old.(*T)
	return t.Resource.Hooks.Prepare(ctx, obj.(*T), before)
}

func (t *typed[T]) RunValidate(ctx context.Context, obj, old any) (errs status.FieldErrors, err error) {
	defer resource.EnterHook(ctx, "Validate").Leave(&err)
	before, _ := old.(*T)
	return t.Resource.Hooks.Validate(ctx, obj.(*T), before), nil
}

func (t *typed[T]) RunValidateDelete(ctx context.Context, obj any) (err error) {
	defer resource.EnterHook(ctx, "ValidateDelete").Leave(&err)
	return t.Resource.Hooks.ValidateDelete(ctx, obj.(*T))
}

func (t *typed[T]) RunGracePeriod(ctx context.Context, obj any, asked *int64) (seconds int64, err error) {
	defer resource.EnterHook(ctx, "GracePeriod").Leave(&err)
	return t.Resource.Hooks.GracePeriod(ctx, obj.(*T), asked)
}

func (t *typed[T]) RunCall(ctx context.Context, obj any, dryRun bool) (err error) {
	if h := t.Resource.Hooks; dryRun && h.CallDryRun != nil {
		defer resource.EnterHook(ctx, "CallDryRun").Leave(&err)
		return h.CallDryRun(ctx, obj.(*T))
	}
	defer resource.EnterHook(ctx, "Call").Leave(&err)
	return t.Resource.Hooks.Call(ctx, obj.(*T))
}
