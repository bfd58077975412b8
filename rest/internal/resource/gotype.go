package resource

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// GoType is the Go type T of a kind, with the host's hooks on it. Package rest implements it for each T. An object in
// an any is a *T.
type GoType interface {
	ObjectType() reflect.Type
	// Decode decodes a stored object.
	Decode(json []byte) (any, error)

	// SetHooks says which hooks are set. The caller must not run the others.
	SetHooks() HookSet
	RunDefault(ctx context.Context, obj any) error
	RunCanonicalize(ctx context.Context, obj any) error
	RunPrepare(ctx context.Context, obj, old any) error
	RunValidate(ctx context.Context, obj, old any) (status.FieldErrors, error)
	RunValidateDelete(ctx context.Context, obj any) error
	RunGracePeriod(ctx context.Context, obj any, asked *int64) (int64, error)
	RunCall(ctx context.Context, obj any, dryRun bool) error
}

// HookSet says which hooks a host has set. The steps decode an object only if one of them needs it.
type HookSet struct{ Defaults, Canonicalize, Prepare, Validate, ValidateDelete, GracePeriod bool }

// Typed reports whether a hook gets the object of a write in its Go type.
func (s HookSet) Typed() bool { return s.Defaults || s.Canonicalize || s.Prepare || s.Validate }

// RecoverHook turns a panic of a host's hook into an error: the client sees a 500, and the log gets the stack. Call it
// with defer. A hook holds no lock and runs before the commit, so there is nothing to undo.
func RecoverHook(hook string, err *error) {
	if p := recover(); p != nil {
		*err = panicked(hook, p)
	}
}

// panicked returns the error of a hook that panics with value. A deferred function calls it, so that the stack is that
// of the panic.
func panicked(hook string, value any) *PanicError {
	return &PanicError{Where: "the host's hook " + hook, Value: value, Stack: debug.Stack()}
}

// PanicError is a panic of the host's code or of this module, on its way to the log. Clients never see its text.
type PanicError struct {
	Where string
	Value any
	Stack []byte
}

// maxPanicValue is the size limit of the value of a panic in the log, in bytes.
const maxPanicValue = 4 << 10

// Error returns the place, the value and the stack, for the log.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in %s: %s\n%s", e.Where, errorlog.Safe(fmt.Sprint(e.Value), maxPanicValue), e.Stack)
}

// A custom kind is stored as the client sent it. The host's Go type is a view of the document, for hooks and typed
// clients. What they change in the view is merged into the document; the rest of the document stays as it is.

// FromDocument decodes a document into a new value of the kind's Go type.
func (res *Resource) FromDocument(v doc.Value) (any, error) {
	return res.KnownTypes().New(res.GoType.ObjectType(), v)
}

// ToDocument returns the document of a value of the Go type. The document shares all parts that near also has with
// near.
func (res *Resource) ToDocument(obj any, near doc.Value) (doc.Value, error) {
	return res.KnownTypes().FromGo(obj, near)
}

// ChangeTyped runs a function of the host that changes typed, which is obj in its Go type, and returns obj with those
// changes.
func (res *Resource) ChangeTyped(obj doc.Value, typed any, f func() error) (doc.Value, error) {
	before := obj
	if !res.Dialect.GoWritten && !res.TypeView.Holds(obj) {
		var err error
		if before, err = res.ToDocument(typed, obj); err != nil {
			return doc.Value{}, err
		}
	}
	if err := f(); err != nil {
		return doc.Value{}, err
	}
	after, err := res.ToDocument(typed, before)
	if err != nil {
		return doc.Value{}, err
	}
	if res.Dialect.GoWritten {
		return res.WithKind(after), nil
	}
	return res.WithKind(res.TypeView.Merge(obj, before, after, schema.ZerosOfChanges)), nil
}

// SentByType returns the object that a typed client sends to replace old. v is what Go encodes of it; fields that the
// type does not have come from old.
func (res *Resource) SentByType(v, old doc.Value) doc.Value {
	if res.Dialect.GoWritten || old.IsAbsent() {
		return v
	}
	before, err := res.TypeView.Show(old)
	if err != nil { // the client cannot have read old in this type
		return v
	}
	return res.TypeView.Merge(old, before, v, schema.ZerosOverDefaults)
}
