package server

import (
	"context"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// inFlight limits how many requests the server works on at once, reads and writes apart, where flow control is off. It
// implements [access.Limiter]. It does not count watches. Administrators get a place even if there is none, so that
// they can repair what takes all places.
type inFlight struct{ reads, writes limit }

// limit is a number of places.
type limit struct {
	max int // 0 for no limit

	mu   sync.Mutex
	used int
}

// Plug implements [rest.Plugin].
func (l *inFlight) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "in flight", Limiter: l}, nil
}

// Limit implements [access.Limiter].
func (l *inFlight) Limit(r access.LimitedRequest) access.Seats {
	of := &l.writes
	switch r.Access.Verb {
	case access.VerbWatch:
		return nil
	case access.VerbGet, access.VerbList:
		of = &l.reads
	}
	if of.max == 0 {
		return nil
	}
	return &place{of: of, always: slices.Contains(r.Access.User.Groups, Masters)}
}

// place is that of one request.
type place struct {
	of     *limit
	always bool // the request gets a place even if there is none
	taken  bool // protected by of.mu
}

// Take implements [access.Seats].
func (p *place) Take(context.Context) error {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.of.used >= p.of.max && !p.always {
		return status.TooManyRequests("Too many requests, please try again later.", 1)
	}
	p.take()
	return nil
}

// Continue implements [access.Seats]. Requests do not wait here, so one that has begun its answer gets a place even if
// there is none.
func (p *place) Continue(context.Context) error {
	p.Retake()
	return nil
}

// Retake implements [access.Seats].
func (p *place) Retake() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.take()
}

func (p *place) take() {
	p.of.used++
	p.taken = true
}

// Release implements [access.Seats].
func (p *place) Release() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.taken {
		p.of.used--
		p.taken = false
	}
}
