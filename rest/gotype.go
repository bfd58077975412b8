package rest

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// goType is a kind's Go type and the host's hooks on it, with the type forgotten. An object behind any is a *T.
type goType interface {
	decode(json []byte) (any, error)
	fromDocument(v doc.Value) (any, error)
	toDocument(obj any) (doc.Value, error)
	defaults(ctx context.Context, obj any) error
	prepare(ctx context.Context, obj, old any) error
	validate(ctx context.Context, obj, old any) (status.FieldErrors, error)
	validateDelete(ctx context.Context, obj any) error
	gracePeriod(ctx context.Context, obj any, asked *int64) (int64, error)
	call(ctx context.Context, obj any) error
	hooks() hookSet
	objectType() reflect.Type
}

// hookSet says which hooks a host has set, so that nothing is decoded for a hook that is not there.
type hookSet struct{ defaults, prepare, validate, validateDelete, gracePeriod bool }

type typed[T any] struct{ Resource[T] }

func (t *typed[T]) decode(json []byte) (any, error) {
	obj := new(T)
	return obj, codec.Unmarshal(json, obj)
}

func (t *typed[T]) fromDocument(v doc.Value) (any, error) {
	obj := new(T)
	return obj, codec.ToGo(v, obj)
}

func (t *typed[T]) toDocument(obj any) (doc.Value, error) { return codec.FromGo(obj) }

func (t *typed[T]) objectType() reflect.Type { return reflect.TypeFor[T]() }

func (t *typed[T]) hooks() hookSet {
	return hookSet{defaults: t.Default != nil, prepare: t.Prepare != nil, validate: t.Validate != nil, validateDelete: t.ValidateDelete != nil, gracePeriod: t.GracePeriod != nil}
}

func (t *typed[T]) defaults(ctx context.Context, obj any) (err error) {
	defer recoverHook("Default", &err)
	return t.Default(ctx, obj.(*T))
}

func (t *typed[T]) prepare(ctx context.Context, obj, old any) (err error) {
	defer recoverHook("Prepare", &err)
	before, _ := old.(*T)
	return t.Prepare(ctx, obj.(*T), before)
}

func (t *typed[T]) validate(ctx context.Context, obj, old any) (errs status.FieldErrors, err error) {
	defer recoverHook("Validate", &err)
	before, _ := old.(*T)
	return t.Validate(ctx, obj.(*T), before), nil
}

func (t *typed[T]) validateDelete(ctx context.Context, obj any) (err error) {
	defer recoverHook("ValidateDelete", &err)
	return t.ValidateDelete(ctx, obj.(*T))
}

func (t *typed[T]) gracePeriod(ctx context.Context, obj any, asked *int64) (seconds int64, err error) {
	defer recoverHook("GracePeriod", &err)
	return t.GracePeriod(ctx, obj.(*T), asked)
}

func (t *typed[T]) call(ctx context.Context, obj any) (err error) {
	defer recoverHook("Call", &err)
	return t.Call(ctx, obj.(*T))
}

// recoverHook turns a panic of a host's hook into an error, which the client sees as a 500 and the log in full. A hook
// holds no lock and nothing is written before it returns, so there is nothing to undo.
func recoverHook(hook string, err *error) {
	if p := recover(); p != nil {
		*err = &panicError{where: "the host's hook " + hook, value: p, stack: debug.Stack()}
	}
}

// panicError is a panic of the host's code, or of ours, on its way to the log. Clients never see its text.
type panicError struct {
	where string
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.where, e.value, e.stack)
}
