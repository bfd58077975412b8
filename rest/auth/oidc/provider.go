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

	"github.com/decorum-go/decorum/status"
)

// provider asks the issuer for its configuration, once.
type provider struct {
	issuer  string
	timeout time.Duration
	config  *oidc.Config
	client  *http.Client

	waiting chan struct{} // holds one element for each request that waits for the issuer
	now     func() time.Time
	spare   *sparing

	mu     sync.Mutex
	known  *oidc.IDTokenVerifier
	asked  chan struct{} // closed when the pending request has ended; nil without a pending request
	err    error         // the error of the last request
	failed time.Time     // when the last request failed
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
	spare := &sparing{next: client.Transport, now: options.Now, last: map[string]time.Time{}, failed: map[string]bool{}}
	client.Transport = spare
	return &provider{issuer: options.Issuer, timeout: options.Timeout, client: &client,
		waiting: make(chan struct{}, maxWaiting), now: options.Now, spare: spare,
		config: &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: options.Algorithms, Now: options.Now}}
}

// verifier returns the verifier of the issuer's tokens. One caller asks the issuer, and those who come in the meantime
// wait for the same answer. After a failure, that is the answer for a while.
func (p *provider) verifier(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	p.mu.Lock()
	known, asked, err := p.known, p.asked, p.err
	failing := err != nil && p.now().Sub(p.failed) < minPause
	if known == nil && asked == nil && !failing {
		p.asked = make(chan struct{})
	}
	p.mu.Unlock()
	switch {
	case known != nil:
		return known, nil
	case asked == nil && failing:
		return nil, undecided(err)
	case asked == nil:
		p.ask(ctx)
	default:
		done, err := p.wait()
		if err != nil {
			return nil, undecided(err)
		}
		defer done()
		select {
		case <-asked:
		case <-ctx.Done():
			return nil, undecided(ctx.Err())
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		return nil, undecided(p.err)
	}
	return p.known, nil
}

// undecided is the answer to a request whose token may be valid.
func undecided(err error) error {
	e := status.ServiceUnavailable("the issuer of the token does not answer")
	e.Status.Details = &status.Details{RetryAfterSeconds: 1}
	return e.WithCause(err)
}

// maxWaiting is how many requests wait for an issuer at a time. Whoever sends forged tokens must not make the API hold
// any number of them.
const maxWaiting = 32

var errCrowded = errors.New("oidc: too many requests are waiting for the issuer")

// wait registers that a request waits for the issuer, or returns an error if too many do.
func (p *provider) wait() (done func(), err error) {
	select {
	case p.waiting <- struct{}{}:
		return func() { <-p.waiting }, nil
	default:
		return nil, errCrowded
	}
}

// keys are the keys of the issuer. A token that needs a key that is not known waits for the issuer. All others do not.
type keys struct {
	*provider
	remote oidc.KeySet
	url    string
}

// undecidedKey is the key of a *error in the context of a verification, because the verifier does not wrap errors of
// its keys.
type undecidedKey struct{}

// VerifySignature implements [oidc.KeySet].
func (k *keys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	ended, end := context.WithCancel(ctx)
	end() // the first attempt waits for nothing
	payload, err := k.remote.VerifySignature(ended, token)
	if !errors.Is(err, context.Canceled) {
		return payload, k.note(ctx, err)
	}
	done, err := k.wait()
	if err != nil {
		*ctx.Value(undecidedKey{}).(*error) = undecided(err)
		return nil, err
	}
	defer done()
	payload, err = k.remote.VerifySignature(ctx, token)
	return payload, k.note(ctx, err)
}

// note notes that the issuer has not answered, and returns the error.
func (k *keys) note(ctx context.Context, err error) error {
	if err != nil && (ctx.Err() != nil || k.spare.fails(k.url)) {
		*ctx.Value(undecidedKey{}).(*error) = undecided(err)
	}
	return err
}

// ask asks the issuer, also if the client of the request leaves, because others wait for the answer.
func (p *provider) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.timeout)
	defer cancel()
	var published struct {
		Keys string `json:"jwks_uri"`
	}
	err := errUnanswered // remains if the host's transport panics
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err, p.failed = err, p.now(); err == nil {
			remote := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), p.client), published.Keys)
			p.known = oidc.NewVerifier(p.issuer, &keys{p, remote, published.Keys}, p.config)
		}
		close(p.asked)
		p.asked = nil
	}()
	var found *oidc.Provider
	if found, err = oidc.NewProvider(ctx, p.issuer); err == nil {
		err = found.Claims(&published)
	}
}

// errUnanswered is the error of those who wait for an answer that does not come.
var errUnanswered = errors.New("oidc: the issuer was not asked")

const (
	// minPause is the time between two requests for the same URL.
	minPause = 10 * time.Second
	// maxAnswer is the size of the largest answer that is read, in bytes.
	maxAnswer = 1 << 20
)

// sparing is a transport that spares the issuer: whoever sends forged tokens must not make the API send as many
// requests. It also limits the size of answers.
type sparing struct {
	next http.RoundTripper
	now  func() time.Time

	mu     sync.Mutex
	last   map[string]time.Time
	failed map[string]bool // the last request did not get an answer
}

// RoundTrip implements [http.RoundTripper].
func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := s.admit(r.URL.String()); err != nil {
		return nil, err
	}
	answer, err := s.next.RoundTrip(r)
	s.mu.Lock()
	url := r.URL.String()
	if s.failed[url] = err != nil || answer.StatusCode >= http.StatusInternalServerError; s.failed[url] {
		s.last[url] = s.now() // the pause begins with the failure
	}
	s.mu.Unlock()
	if err == nil {
		answer.Body = limited{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// fails reports whether the last request for a URL got no answer.
func (s *sparing) fails(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed[url]
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
