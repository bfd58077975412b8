package callout_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/callout"
)

func TestACallSendsTheHeadersOfItsContext(t *testing.T) {
	var got http.Header
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		say("yes")(w, r)
	}, nil)
	calls := client(t, func(o *callout.Options) {
		o.Credentials = func(context.Context, string) (callout.Credentials, error) {
			return callout.Credentials{Header: http.Header{"Authorization": {"Bearer host"}}}, nil
		}
	})
	outer := callout.WithHeader(t.Context(), http.Header{"Traceparent": {"outer"}, "Tracestate": {"a=b"}})
	inner := callout.WithHeader(outer, http.Header{
		"Traceparent": {"inner"}, "Authorization": {"Bearer observer"}, "Content-Type": {"text/plain"},
		"Accept": {"text/plain"},
	})
	post := func(ctx context.Context) {
		t.Helper()
		require.NoError(t, calls.Post(ctx, w.target("/"), question{"may I?"}, &answer{}))
	}
	post(inner)
	assert.Equal(t, []string{"inner"}, got["Traceparent"])
	assert.Equal(t, []string{"a=b"}, got["Tracestate"])
	assert.Equal(t, []string{"Bearer host"}, got["Authorization"], "the credentials of the host win")
	assert.Equal(t, []string{"application/json"}, got["Content-Type"])
	assert.Equal(t, []string{"application/json"}, got["Accept"])
	post(outer)
	assert.Equal(t, []string{"outer"}, got["Traceparent"])
	post(t.Context())
	assert.NotContains(t, got, "Traceparent")
}
