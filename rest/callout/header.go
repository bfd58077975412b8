package callout

import (
	"context"
	"maps"
	"net/http"
)

// headerKey is the key under which a context carries the headers of its calls.
type headerKey struct{}

// WithHeader returns a context whose calls send these headers too, for example the trace to which a call belongs. An
// observer of requests can return it from the function Step of observe.Observation, for the step that calls. Headers of an
// outer call of WithHeader remain, unless header has the same ones. The headers that the [Client] sets itself, and
// those of [Credentials], win. Nobody may change header afterwards.
//
// The servers of webhooks receive the headers, and users of the API choose these servers, so headers must not contain
// credentials.
func WithHeader(ctx context.Context, header http.Header) context.Context {
	if outer := headerOf(ctx); outer != nil {
		both := maps.Clone(outer)
		maps.Copy(both, header)
		header = both
	}
	return context.WithValue(ctx, headerKey{}, header)
}

func headerOf(ctx context.Context) http.Header {
	header, _ := ctx.Value(headerKey{}).(http.Header)
	return header
}
