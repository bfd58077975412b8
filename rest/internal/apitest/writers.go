package apitest

import (
	"net/http"
)

// Wrapped is a host's middleware around a ResponseWriter, as many write it.
type Wrapped struct {
	http.ResponseWriter
	bytes int
}

// Write counts the bytes.
func (w *Wrapped) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += n
	return n, err
}

// unwrappable is one that lets a ResponseController through.
type unwrappable struct{ Wrapped }

func (w *unwrappable) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// BehindUnwrap serves h behind a middleware that leads to the writer below.
func BehindUnwrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&unwrappable{Wrapped{ResponseWriter: w}}, r)
	})
}
