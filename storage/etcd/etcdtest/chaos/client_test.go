package chaos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// answer is the answer to a request. Without an answer, the code is 0.
type answer struct {
	code  int
	retry string // the header Retry-After
	body  []byte
}

// register returns the object of an answer.
func (a answer) register() (r Register) {
	_ = json.Unmarshal(a.body, &r)
	return r
}

// registerList is what a list answers.
type registerList struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []Register `json:"items"`
}

func (a answer) list() (l registerList) {
	_ = json.Unmarshal(a.body, &l)
	return l
}

// attempt bounds a request. It is longer than any fault.
const attempt = hangtest.Deadline

// fresh connects anew for each request, so that a request is never sent twice.
var fresh = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// send sends a request to a replica.
func send(ctx context.Context, method, url string, body any) answer {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return answer{}
	}
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := fresh.Do(request)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	out := answer{code: response.StatusCode, retry: response.Header.Get("Retry-After")}
	if out.body, err = io.ReadAll(response.Body); err != nil {
		return answer{}
	}
	return out
}

func registerOf(name, value, resourceVersion string) map[string]any {
	metadata := map[string]any{"name": name}
	if resourceVersion != "" {
		metadata["resourceVersion"] = resourceVersion
	}
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Register", "metadata": metadata,
		"spec": map[string]any{"value": value}}
}

// create insists on a register: it tries again until a replica has acknowledged it.
func create(ctx context.Context, url, name, value string) error {
	for {
		a := send(ctx, http.MethodPost, url+path, registerOf(name, value, ""))
		switch {
		case a.code == http.StatusCreated || a.code == http.StatusConflict:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("no replica has acknowledged %s: %w", name, ctx.Err())
		}
	}
}
