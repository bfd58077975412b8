package front

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// AddPaths adds the handlers of a plug-in's paths, or returns an error if a path is already in use.
func (a *Front) AddPaths(paths map[string]http.Handler) error { return a.paths.add(paths, a.ownsPath) }

// pluginPaths are the paths of the plug-ins.
type pluginPaths map[string]http.Handler

// add adds the paths of a plug-in, or returns an error if something else is at one of them. own reports whether a path
// is one of the API itself.
func (p pluginPaths) add(more map[string]http.Handler, own func(path string) bool) error {
	for path, handler := range more {
		switch {
		case !strings.HasPrefix(path, "/") || path == "/":
			return fmt.Errorf("path %q: it must begin with a slash, and must not be the root", path)
		case handler == nil:
			return fmt.Errorf("path %q: the handler is nil", path)
		case own(path) || p[path] != nil:
			return fmt.Errorf("path %q: something else is served there", path)
		}
		p[path] = handler
	}
	return nil
}

// at returns the handler of a path without a slash at its end, and the declared path: that of the path itself, or of
// the longest one with a slash at or above it. The handler is nil if nothing is served there.
func (p pluginPaths) at(path string) (handler http.Handler, declared string) {
	if handler := p[path]; handler != nil {
		return handler, path
	}
	// The number of declared paths is small, and that of slashes in a path is chosen by a client.
	for at, h := range p {
		below := strings.HasSuffix(at, "/") && (strings.HasPrefix(path, at) || path == strings.TrimSuffix(at, "/"))
		if below && len(at) > len(declared) {
			handler, declared = h, at
		}
	}
	return handler, declared
}

// findPluginPath is the finder of a path that the router does not know.
func (a *Front) findPluginPath(_ *Serving, path string, at *place) (*Served, chooser) {
	handler, declared := a.paths.at(path)
	if handler == nil {
		return nil, nil
	}
	at.declared = declared
	return nil, always(func(q *request) error {
		h := &handling{request: q, memory: q.lend()}
		defer h.memory.Release()
		ctx, cancel := q.api.ending.Until(context.WithValue(q.context(), handlingKey{}, h))
		defer cancel()
		handler.ServeHTTP(&notingWriter{q.w, q}, q.r.WithContext(ctx))
		return nil
	})
}

// notingWriter notes when the answer of a plug-in begins. A panic after that breaks the answer off.
type notingWriter struct {
	http.ResponseWriter
	q *request
}

func (w *notingWriter) WriteHeader(code int) {
	w.q.begin()
	w.ResponseWriter.WriteHeader(code)
}

func (w *notingWriter) Write(b []byte) (int, error) {
	w.q.begin()
	return w.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (w *notingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
