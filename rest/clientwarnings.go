package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
)

type warningsKey struct{}

// WithWarnings returns a context in which writes of typed clients report warnings: those of admission hooks, and
// warnings about unknown fields in a patch, finalizers without a domain, and deprecated versions (API conventions,
// Warnings). HTTP clients receive the same warnings in Warning headers. At its end, a write calls tell once for each
// warning, in the goroutine of the caller, even if the write fails. If a write over HTTP fails, the server decides
// which warnings it sends.
func WithWarnings(ctx context.Context, tell func(text string)) context.Context {
	return context.WithValue(ctx, warningsKey{}, tell)
}

// collectWarnings makes a write collect its warnings if the context has somebody who reads them. The returned function
// reports them.
func collectWarnings(ctx context.Context, w *service.Wanted) (report func()) {
	tell, _ := ctx.Value(warningsKey{}).(func(string))
	if tell == nil {
		return func() {}
	}
	w.Warnings = new(write.Warnings)
	return func() {
		for _, text := range w.Warnings.Texts {
			tell(text)
		}
	}
}

// Warn adds a warning for a person to the answer of a write (API conventions, Warnings). ctx is the context of a hook
// that runs for the write; with any other context Warn does nothing and returns false. Clients over HTTP find the
// warning in a Warning header, unless the write is refused; typed clients receive it through [WithWarnings]. Keep the
// text below 120 characters, and call Warn in the goroutine of the hook.
func Warn(ctx context.Context, text string) bool { return write.Warn(ctx, text) }

// IsDryRun reports whether the write whose hook has this context is a dry run, so that the hook of a kind leaves out
// what only a real write may do, such as taking a number. With any other context it reports false. An admission hook
// reads [admission.Request.DryRun].
func IsDryRun(ctx context.Context) bool { return write.IsDryRun(ctx) }
