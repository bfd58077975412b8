package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/resource"
)

type warningsKey struct{}

// WithWarnings returns a context in which the writes of typed clients tell what clients over HTTP find in Warning headers:
// what admission hooks warn of, fields of a patch that the kind does not have, finalizers without a domain, a version that
// is deprecated. tell is called when a write has ended, refused or not, in the goroutine of the write.
func WithWarnings(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, tell)
}

// listen collects the warnings of a write where somebody wants to know them.
func (c Client[T]) listen(ctx context.Context, w *resource.Write) {
	if _, ok := ctx.Value(warningsKey{}).(func(string)); ok {
		w.Warnings = &resource.Warnings{}
	}
}

// tell passes on what a write has collected.
func (c Client[T]) tell(ctx context.Context, w *resource.Write) {
	tell, ok := ctx.Value(warningsKey{}).(func(string))
	if !ok || w.Warnings == nil {
		return
	}
	if c.res.Kind.Warning != "" {
		tell(c.res.Kind.Warning)
	}
	for _, text := range w.Warnings.Texts {
		tell(text)
	}
}

// Warn warns the client of a write, for a person to read: in a Warning header over HTTP, and see [WithWarnings] (API conventions,
// Warnings). ctx is the context of a hook that runs for the write. Keep the text below 120 characters, and call Warn in the
// goroutine of the hook. A write that is refused tells nothing of it.
func Warn(ctx context.Context, text string) { resource.Warn(ctx, text) }
