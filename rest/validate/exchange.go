package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/remote"
	"github.com/decorum-go/decorum/status"
)

// answer is the answer of the API to one request.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

func (a *answer) warnings() []string { return remote.Warnings(a.header) }

// failure returns the Status of the answer, or nil for a success.
func (a *answer) failure() *status.Status {
	if a.code < http.StatusBadRequest {
		return nil
	}
	failed := new(status.Status)
	if json.Unmarshal(a.body.Bytes(), failed) != nil || failed.Message == "" {
		failed.Message = fmt.Sprintf("%d %s", a.code, http.StatusText(a.code))
	}
	return failed
}

// send sends a request to the API in process.
func (v *Validator) send(ctx context.Context, method, target, contentType string, body []byte) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, v.options.Header)
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	r.RequestURI, r.RemoteAddr = target, "127.0.0.1:0"
	a := &answer{header: http.Header{}}
	v.api.ServeHTTP(a, r)
	return a, ctx.Err()
}
