package imagepolicy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"syscall"
	"time"

	"k8s.io/api/imagepolicy/v1alpha1"
)

const (
	// timeout limits each attempt, and attempts how many there are.
	timeout  = 30 * time.Second
	attempts = 5
	// backoffFactor and backoffJitter lengthen the time before each further attempt.
	backoffFactor, backoffJitter = 1.5, 0.2
	// maxAnswer limits the body of an answer, in bytes.
	maxAnswer = 1 << 20
)

// transient is an error after which a further attempt may succeed.
type transient struct{ error }

func (t transient) Unwrap() error { return t.error }

// ask asks the server about a review. It tries again after transient errors.
func (p *plugin) ask(ctx context.Context, review []byte) (v verdict, err error) {
	wait := p.config.backoff
	for attempt := 1; ; attempt++ {
		v, err = p.askOnce(ctx, review)
		if again := (transient{}); attempt == attempts || !errors.As(err, &again) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(time.Duration(float64(wait) * (1 + backoffJitter*rand.Float64()))):
		}
		wait = time.Duration(float64(wait) * backoffFactor)
	}
}

// askOnce is one attempt. A panic, for example in what adds the credentials, counts as a failure.
func (p *plugin) askOnce(ctx context.Context, review []byte) (v verdict, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the call panicked: %v", cause)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.config.server.Server.URL, bytes.NewReader(review))
	if err != nil {
		return v, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	answered, err := p.config.server.Server.HTTP.Do(r)
	if errors.Is(err, syscall.ECONNRESET) {
		err = transient{err}
	}
	if err != nil {
		return v, err
	}
	defer answered.Body.Close()
	if code := answered.StatusCode; code < 200 || code > 299 {
		err = fmt.Errorf("the server answered %d %s", code, http.StatusText(code))
		if code == http.StatusInternalServerError || code == http.StatusGatewayTimeout ||
			code == http.StatusTooManyRequests || answered.Header.Get("Retry-After") != "" {
			err = transient{err}
		}
		return v, err
	}
	return read(answered.Body)
}

// read reads an ImageReview.
func read(body io.Reader) (v verdict, err error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return v, fmt.Errorf("reading the answer: %w", err)
	case len(text) > maxAnswer:
		return v, fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	var review v1alpha1.ImageReview
	if err := json.Unmarshal(text, &review); err != nil {
		return v, fmt.Errorf("the answer is not an ImageReview: %w", err)
	}
	// An answer without an apiVersion and a kind counts as what the request was.
	if m := review.TypeMeta; m != reviewMeta && (m.Kind != "" || m.APIVersion != "") {
		return v, fmt.Errorf("the answer is a %s of %q, not an ImageReview of %q", m.Kind, m.APIVersion,
			reviewMeta.APIVersion)
	}
	return verdict{review.Status.Allowed, review.Status.Reason}, nil
}
