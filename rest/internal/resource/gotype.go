package resource

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// GoType is a kind's Go type and the host's hooks on it, with the type forgotten. An object behind any is a *T.
type GoType interface {
	Decode(json []byte) (any, error)
	FromDocument(v doc.Value) (any, error)
	ToDocument(obj any) (doc.Value, error)
	RunDefault(ctx context.Context, obj any) error
	RunPrepare(ctx context.Context, obj, old any) error
	RunValidate(ctx context.Context, obj, old any) (status.FieldErrors, error)
	RunValidateDelete(ctx context.Context, obj any) error
	RunGracePeriod(ctx context.Context, obj any, asked *int64) (int64, error)
	RunCall(ctx context.Context, obj any) error
	Hooks() HookSet
	ObjectType() reflect.Type
}

// HookSet says which hooks a host has set, so that nothing is decoded for a hook that is not there.
type HookSet struct{ Defaults, Prepare, Validate, ValidateDelete, GracePeriod bool }

// RecoverHook turns a panic of a host's hook into an error, which the client sees as a 500 and the log in full. A hook
// holds no lock and nothing is written before it returns, so there is nothing to undo.
func RecoverHook(hook string, err *error) {
	if p := recover(); p != nil {
		*err = &PanicError{Where: "the host's hook " + hook, Value: p, Stack: debug.Stack()}
	}
}

// PanicError is a panic of the host's code, or of ours, on its way to the log. Clients never see its text.
type PanicError struct {
	Where string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.Where, e.Value, e.Stack)
}
