package rights

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/status"
)

// Rights ends the watches and streams of users who lose the rights with which they opened them. A client that watches
// then gets 410 Expired, lists again, and learns what it may do now. Any goroutine may use a Rights.
type Rights struct {
	background Background
	now        func() time.Time
	changes    atomic.Uint64

	mu     sync.Mutex
	open   map[*openGrant]struct{}
	asking bool // a goroutine asks about the open grants
}

// Background is how an API works on what no request waits for.
type Background struct {
	context.Context // ends with the API
	// Enter registers the work, so that the shutdown of the API waits for it, or returns an error if the API is ending.
	// Leave ends the work.
	Enter func() error
	Leave func()
}

// Grant is what a watch or a stream depends on while it is open.
type Grant struct {
	// Expires is when the credentials of the user expire. Zero means never.
	Expires time.Time
	// OnRevoked registers a function that is called when the credentials become invalid earlier. Nil means that they
	// cannot.
	OnRevoked func(end func()) (stop func())
	// Since is the value of Rights.Changes before the user got the rights.
	Since uint64
	// Right is the right of the user. Nil means that the user cannot lose it.
	Right Right
}

// Right is what a user may do, as the Authorizer decided when a watch or a stream was opened.
type Right interface {
	// Key identifies the right: Rights with equal keys hold or do not hold together.
	Key() Key
	// Holds reports whether the user still has the right. It may take time, and must return when its context ends.
	Holds(context.Context) bool
}

// openGrant is the Grant of a watch or a stream that is open. end ends it.
type openGrant struct {
	Grant
	end context.CancelCauseFunc
}

// NewRights returns the Rights of an API, whose clock is now.
func NewRights(background Background, now func() time.Time) *Rights {
	return &Rights{background: background, now: now, open: map[*openGrant]struct{}{}}
}

// Changes returns how many times Changed was called.
func (r *Rights) Changes() uint64 { return r.changes.Load() }

// Open returns a context that ends with ctx, and with an Expired error as its cause when the grant ends. The caller
// must call the returned function.
func (r *Rights) Open(ctx context.Context, g Grant) (context.Context, context.CancelFunc) {
	if g.Expires.IsZero() && g.OnRevoked == nil && g.Right == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	var expiry *time.Timer
	if !g.Expires.IsZero() {
		expiry = time.AfterFunc(g.Expires.Sub(r.now()), func() {
			end(status.Expired("the credentials of the user have expired; log in again"))
		})
	}
	stop := func() {}
	if g.OnRevoked != nil {
		stop = g.OnRevoked(func() { end(status.Expired("the credentials of the user have been revoked; log in again")) })
	}
	o := &openGrant{Grant: g, end: end}
	if g.Right != nil {
		r.mu.Lock()
		r.open[o] = struct{}{}
		r.mu.Unlock()
		if r.Changes() != g.Since { // the rights may have changed before r.open had the grant
			r.check(ctx, []*openGrant{o})
		}
	}
	return ctx, func() {
		if expiry != nil {
			expiry.Stop()
		}
		stop()
		r.mu.Lock()
		delete(r.open, o)
		r.mu.Unlock()
		end(nil)
	}
}

// check ends grants of one right unless the user still has it. A panic of the host's code counts as a loss: the client
// lists again, and that request reports the panic.
func (r *Rights) check(ctx context.Context, same []*openGrant) {
	holds := false
	defer func() {
		_ = recover()
		if holds || r.background.Err() != nil {
			return
		}
		for _, o := range same {
			o.end(status.Expired("the rights of the user have changed; list again to see what the user may see now"))
		}
	}()
	holds = same[0].Right.Holds(ctx)
}

// pauseBetweenRounds bounds how often all open grants are checked if rights change all the time.
const pauseBetweenRounds = 100 * time.Millisecond

// Changed says that rights have changed. It returns at once; a goroutine checks all open grants.
func (r *Rights) Changed() {
	r.changes.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking || len(r.open) == 0 || r.background.Enter() != nil {
		return
	}
	r.asking = true
	go r.checkAll()
}

// checkAll checks all open grants until no rights have changed meanwhile, or the API ends.
func (r *Rights) checkAll() {
	defer r.background.Leave()
	for {
		at := r.Changes()
		for _, same := range r.grants() {
			r.check(r.background, same)
		}
		if r.settled(at) {
			return
		}
		select {
		case <-time.After(pauseBetweenRounds):
		case <-r.background.Done():
		}
	}
}

// grants returns the open grants by the key of their right, so that a round asks once about the watches of one user on
// one resource.
func (r *Rights) grants() map[Key][]*openGrant {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	by := map[Key][]*openGrant{}
	for _, o := range open {
		key := o.Right.Key()
		by[key] = append(by[key], o)
	}
	return by
}

// settled reports whether checkAll may end.
func (r *Rights) settled(at uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking = r.Changes() != at && r.background.Err() == nil
	return !r.asking
}
