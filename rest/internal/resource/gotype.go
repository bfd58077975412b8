package resource

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// GoType is the Go type T of a kind, and the host's hooks on it. An object in an any is a *T.
type GoType interface {
	ObjectType() reflect.Type
	// Decode reads a stored object.
	Decode(json []byte) (any, error)
	FromDocument(v doc.Value) (any, error)
	ToDocument(obj any) (doc.Value, error)

	// Hooks says which hooks are set. The others are not run.
	Hooks() HookSet
	RunDefault(ctx context.Context, obj any) error
	RunPrepare(ctx context.Context, obj, old any) error
	RunValidate(ctx context.Context, obj, old any) (status.FieldErrors, error)
	RunValidateDelete(ctx context.Context, obj any) error
	RunGracePeriod(ctx context.Context, obj any, asked *int64) (int64, error)
	RunCall(ctx context.Context, obj any) error
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

// Error is for the log: the place, the value and the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.Where, e.Value, e.Stack)
}

// A custom kind is stored as it was sent. The host's Go type is a view of it, for hooks and typed clients: what they change
// in the view is merged into the document, and the rest of the document stays as it is.

// ChangeTyped lets a function of the host's change obj through typed, which is obj in its Go type.
func (res *Resource) ChangeTyped(obj doc.Value, typed any, f func() error) (doc.Value, error) {
	before := obj
	if !res.Dialect.GoWritten && !res.view.Holds(obj) {
		var err error
		if before, err = res.GoType.ToDocument(typed); err != nil {
			return doc.Value{}, err
		}
	}
	if err := f(); err != nil {
		return doc.Value{}, err
	}
	after, err := res.GoType.ToDocument(typed)
	if err != nil {
		return doc.Value{}, err
	}
	if res.Dialect.GoWritten {
		return res.WithKind(after), nil
	}
	return res.WithKind(res.view.Merge(obj, before, after, schema.ZerosOfChanges)), nil
}

// SentByType is the object that a typed client sends in the place of old, of which v is what Go writes.
func (res *Resource) SentByType(v, old doc.Value) doc.Value {
	if res.Dialect.GoWritten || old.IsAbsent() {
		return v
	}
	before, err := res.view.Show(old)
	if err != nil { // no client has read it in this type
		return v
	}
	return res.view.Merge(old, before, v, schema.ZerosOverDefaults)
}

// writeMetadata returns obj with its metadata as Go writes it, which is how clients know that of every kind.
func (res *Resource) writeMetadata(obj doc.Value) (doc.Value, error) {
	m := objectmeta.Of(obj)
	written, err := res.view.Member("metadata").Show(m)
	if err != nil || written == m {
		return obj, err
	}
	return obj.With("metadata", written), nil
}
