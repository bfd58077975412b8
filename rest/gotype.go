package rest

import (
	"context"
	"reflect"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

type typed[T any] struct{ Resource[T] }

func (t *typed[T]) Decode(json []byte) (any, error) {
	obj := new(T)
	return obj, codec.Unmarshal(json, obj)
}

func (t *typed[T]) FromDocument(v doc.Value) (any, error) {
	obj := new(T)
	return obj, schema.ToGo(v, obj)
}

func (t *typed[T]) ToDocument(obj any) (doc.Value, error) { return codec.FromGo(obj) }

func (t *typed[T]) ObjectType() reflect.Type { return reflect.TypeFor[T]() }

func (t *typed[T]) Hooks() resource.HookSet {
	return resource.HookSet{Defaults: t.Default != nil, Prepare: t.Prepare != nil, Validate: t.Validate != nil, ValidateDelete: t.ValidateDelete != nil, GracePeriod: t.GracePeriod != nil}
}

func (t *typed[T]) RunDefault(ctx context.Context, obj any) (err error) {
	defer resource.RecoverHook("Default", &err)
	return t.Default(ctx, obj.(*T))
}

func (t *typed[T]) RunPrepare(ctx context.Context, obj, old any) (err error) {
	defer resource.RecoverHook("Prepare", &err)
	before, _ := old.(*T)
	return t.Prepare(ctx, obj.(*T), before)
}

func (t *typed[T]) RunValidate(ctx context.Context, obj, old any) (errs status.FieldErrors, err error) {
	defer resource.RecoverHook("Validate", &err)
	before, _ := old.(*T)
	return t.Validate(ctx, obj.(*T), before), nil
}

func (t *typed[T]) RunValidateDelete(ctx context.Context, obj any) (err error) {
	defer resource.RecoverHook("ValidateDelete", &err)
	return t.ValidateDelete(ctx, obj.(*T))
}

func (t *typed[T]) RunGracePeriod(ctx context.Context, obj any, asked *int64) (seconds int64, err error) {
	defer resource.RecoverHook("GracePeriod", &err)
	return t.GracePeriod(ctx, obj.(*T), asked)
}

func (t *typed[T]) RunCall(ctx context.Context, obj any) (err error) {
	defer resource.RecoverHook("Call", &err)
	return t.Call(ctx, obj.(*T))
}
