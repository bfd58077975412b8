package main

import (
	"log/slog"
	"net/http"
	"time"
)

// logged is the kind of middleware that most services have. It wraps the
// ResponseWriter, and it may: Unwrap lets the API reach the flush and the
// deadlines that a watch needs.
func logged(logger *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		recorder := &recorder{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(recorder, r)
		logger.InfoContext(r.Context(), "served",
			"method", r.Method, "url", r.URL.String(), "code", recorder.code, "took", time.Since(began))
	})
}

// recorder remembers the status code.
type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

// Unwrap is how http.ResponseController finds what is below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
