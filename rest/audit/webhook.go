package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/backoff"
)

// WebhookOptions configure a [Webhook]: its time limit, and how it repeats failed calls.
type WebhookOptions struct {
	// Timeout limits one call. Default: 30 seconds.
	Timeout time.Duration
	// Attempts is how often a batch is sent before it counts as lost. Default: 5.
	Attempts int
	// FirstDelay is the time between the first two attempts. Each further one is twice as long, up to 30 seconds. Default:
	// 1 second.
	FirstDelay time.Duration
}

const (
	defaultTimeout    = 30 * time.Second
	defaultAttempts   = 5
	defaultFirstDelay = time.Second
	longestDelay      = 30 * time.Second
	// maxAnswer is how much of an answer is read, in bytes, so that the connection can be used again.
	maxAnswer = 64 << 10
)

// Webhook is a [Sink] that posts each batch as an EventList of audit.k8s.io/v1, as the webhook of kube-apiserver does.
// It repeats a call that fails on the network, or that the server answers with 429 or 5xx. So a server may receive an
// event twice.
type Webhook struct {
	server  rest.Endpoint
	options WebhookOptions
}

// NewWebhook returns a sink that posts to server.URL. Package rest/kubeconfig reads an Endpoint from the file that
// kube-apiserver takes as --audit-webhook-config-file.
func NewWebhook(server rest.Endpoint, options WebhookOptions) *Webhook {
	if server.HTTP == nil {
		server.HTTP = http.DefaultClient
	}
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.Attempts <= 0 {
		options.Attempts = defaultAttempts
	}
	if options.FirstDelay <= 0 {
		options.FirstDelay = defaultFirstDelay
	}
	return &Webhook{server, options}
}

// Write implements [Sink].
func (w *Webhook) Write(ctx context.Context, events []*Event) error {
	body, err := codec.EncodeOwn(EventList{
		TypeMeta: apimeta.TypeMeta{APIVersion: apiVersion, Kind: "EventList"}, Items: events,
	})
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		again, err := w.post(ctx, body)
		if err == nil || !again || attempt == w.options.Attempts {
			return err
		}
		timer := time.NewTimer(backoff.Delay(attempt, w.options.FirstDelay, longestDelay))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// post makes one call. again says whether a failed call is worth repeating.
func (w *Webhook) post(ctx context.Context, body []byte) (again bool, err error) {
	limited, cancel := context.WithTimeout(ctx, w.options.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(limited, http.MethodPost, w.server.URL, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := w.server.HTTP.Do(r)
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	if code := answer.StatusCode; code < 200 || code > 299 {
		return code == http.StatusTooManyRequests || code >= 500, fmt.Errorf("the audit webhook answered %d", code)
	}
	return false, nil
}
