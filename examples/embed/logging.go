package main

import (
	"log/slog"
	"net/http"
	"time"
)

// logged is a middleware as most services have it. It may wrap the
// ResponseWriter, because Unwrap gives the API access to the flush and the
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

// recorder records the status code.
type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController find the wrapped writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
