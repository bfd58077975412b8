package stream

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Proxy hands the request to serve as one for the path below the subresource, which is escaped and "" for none.
func Proxy(ctx context.Context, call *Call, below string, serve func(http.ResponseWriter, *http.Request) error) error {
	if below == "" {
		below = "/"
	}
	path, err := url.PathUnescape(below)
	if err != nil {
		return err
	}
	r := call.Request.Clone(ctx)
	for _, name := range call.Secret {
		delete(r.Header, name)
	}
	r.URL.Path, r.URL.RawPath = path, ""
	if r.URL.EscapedPath() != below {
		r.URL.RawPath = below
	}
	control, err := Control(call.Writer)
	if err != nil {
		return err
	}
	w := &proxyWriter{ResponseWriter: call.Writer, control: control}
	calm := call.AtEnd(func() { _ = control.SetWriteDeadline(time.Now().Add(call.Limits.End)) })
	defer func() { // the host may break its answer off with a panic
		calm()
		call.Begun = w.begun
	}()
	return serve(w, r)
}
