package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// provider asks the issuer for its configuration, once.
type provider struct {
	issuer  string
	timeout time.Duration
	config  *oidc.Config
	client  *http.Client

	mu    sync.Mutex
	known *oidc.IDTokenVerifier
	asked chan struct{} // closed when the pending request has ended; nil without a pending request
	err   error         // of the last request
}

func newProvider(options Options) *provider {
	client := http.Client{}
	if options.Client != nil {
		client = *options.Client
	}
	if client.Timeout == 0 || client.Timeout > options.Timeout {
		client.Timeout = options.Timeout
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &sparing{next: client.Transport, now: options.Now, last: map[string]time.Time{}}
	return &provider{issuer: options.Issuer, timeout: options.Timeout, client: &client,
		config: &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: options.Algorithms, Now: options.Now}}
}

// verifier returns the verifier of the issuer's tokens. One caller asks the issuer, and those who come in the meantime wait for the same
// answer.
func (p *provider) verifier(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	known, asked := p.known, p.asked
	if known == nil && asked == nil {
		p.asked = make(chan struct{})
	}
	p.mu.Unlock()
	switch {
	case known != nil:
		return known, nil
	case asked == nil:
		p.ask(ctx)
	default:
		select {
		case <-asked:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known, p.err
}

// ask asks the issuer, also if the client of the request leaves, because others wait for the answer.
func (p *provider) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.timeout)
	defer cancel()
	var found *oidc.Provider
	err := errUnanswered // remains if the host's transport panics
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err = err; err == nil {
			p.known = found.VerifierContext(oidc.ClientContext(context.Background(), p.client), p.config)
		}
		close(p.asked)
		p.asked = nil
	}()
	found, err = oidc.NewProvider(ctx, p.issuer)
}

// errUnanswered is the error of those who wait for an answer that does not come.
var errUnanswered = errors.New("oidc: the issuer was not asked")

const (
	// minPause is the time between two requests for the same URL.
	minPause = 10 * time.Second
	// maxAnswer is the size of the largest answer that is read, in bytes.
	maxAnswer = 1 << 20
)

// sparing is a transport that spares the issuer: whoever sends forged tokens must not make the API send as many requests. It also
// limits the size of answers.
type sparing struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	last map[string]time.Time
}

// RoundTrip implements [http.RoundTripper].
func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := s.admit(r.URL.String()); err != nil {
		return nil, err
	}
	answer, err := s.next.RoundTrip(r)
	if err == nil {
		answer.Body = limited{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

func (s *sparing) admit(url string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if last, ok := s.last[url]; ok && now.Sub(last) < minPause {
		return fmt.Errorf("%s was asked less than %v ago", url, minPause)
	}
	s.last[url] = now
	return nil
}

// limited is the body of an answer.
type limited struct {
	io.Reader
	io.Closer
}
