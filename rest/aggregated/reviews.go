package aggregated

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/rest/internal/turns"
	"github.com/decorum-go/decorum/status"
)

const (
	// reviewTimeout is the time limit of a review. Other aggregated API servers have the same.
	reviewTimeout = 10 * time.Second
	// maxReviews and maxWaiting limit the reviews under way and those that wait. Senders with invalid credentials cause
	// reviews too, and must not be able to overload the cluster through this program.
	maxReviews, maxWaiting = 50, 500
	// entryBytes is about how many bytes an answer takes in a cache besides its texts.
	entryBytes = 200
)

// reviews are what the plug-in asks the cluster, and its answers.
type reviews struct {
	tokens   *answers[tokenAnswer]
	accesses *answers[access.Decision]
}

func newReviews(o Options) reviews {
	return reviews{
		tokens:   newAnswers[tokenAnswer]("TokenReview", o),
		accesses: newAnswers[access.Decision]("SubjectAccessReview", o),
	}
}

// key identifies a question.
type key = [sha256.Size]byte

// answer is an answer of the cluster, how long it counts, and how many bytes its texts have.
type answer[V any] struct {
	value V
	lasts time.Duration
	bytes int64
}

// answers asks the cluster questions of one kind. Callers that ask the same question at once share one answer. answers
// caches answers, and never an error.
type answers[V any] struct {
	kind  string
	log   *slog.Logger
	cache *generations.Cache[key, dated[V]]
	turns *turns.Turns

	mu      sync.Mutex
	calls   map[key]*call[V]
	failing bool
}

// dated is an answer that counts until a time.
type dated[V any] struct {
	value V
	until time.Time
}

// call is a question under way. After done is closed, either err or value is set, unless the caller that asked has gone
// and another one must ask.
type call[V any] struct {
	done    chan struct{}
	value   V
	err     error
	givenUp bool
}

func newAnswers[V any](kind string, o Options) *answers[V] {
	return &answers[V]{kind: kind, log: o.Logger, cache: generations.New[key, dated[V]](o.Budget, o.MaxCacheBytes/2),
		turns: turns.New(maxReviews, maxWaiting), calls: map[key]*call[V]{}}
}

// get returns the answer to a question, from the cache if it has one.
func (a *answers[V]) get(ctx context.Context, k key, ask func(context.Context) (answer[V], error)) (V, error) {
	for {
		if known, ok := a.cache.Get(k); ok && time.Now().Before(known.until) {
			return known.value, nil
		}
		c, mine := a.join(k)
		if mine {
			return a.perform(ctx, k, c, ask)
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			return *new(V), context.Cause(ctx)
		}
		if !c.givenUp {
			return c.value, c.err
		}
	}
}

// renew asks the cluster, and caches the answer.
func (a *answers[V]) renew(ctx context.Context, k key, ask func(context.Context) (answer[V], error)) (V, error) {
	a.cache.Remove(k)
	return a.get(ctx, k, ask)
}

// join returns the call of a question that is under way, or a new one, which the caller must perform.
func (a *answers[V]) join(k key) (c *call[V], mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c = a.calls[k]; c != nil {
		return c, false
	}
	c = &call[V]{done: make(chan struct{}), givenUp: true}
	a.calls[k] = c
	return c, true
}

// perform asks the cluster. If ctx ends meanwhile, or ask panics, the waiting callers ask again.
func (a *answers[V]) perform(ctx context.Context, k key, c *call[V],
	ask func(context.Context) (answer[V], error)) (V, error) {
	defer func() {
		a.mu.Lock()
		delete(a.calls, k)
		a.mu.Unlock()
		close(c.done)
	}()
	got, err := a.ask(ctx, ask)
	if err != nil && ctx.Err() != nil {
		return *new(V), context.Cause(ctx)
	}
	if err == nil && got.lasts > 0 {
		a.cache.Put(k, dated[V]{got.value, time.Now().Add(got.lasts)}, got.bytes+entryBytes)
	}
	c.value, c.err, c.givenUp = got.value, err, false
	return c.value, c.err
}

// errBusy is the error if too many reviews wait.
var errBusy = status.TooManyRequests("too many requests wait for reviews of the cluster", 1)

// ask waits for a turn, and asks. The error is one for the client; the log has the cause.
func (a *answers[V]) ask(ctx context.Context, ask func(context.Context) (answer[V], error)) (answer[V], error) {
	limited, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	leave, err := a.turns.Enter(limited)
	if err != nil {
		return answer[V]{}, errBusy
	}
	defer leave()
	got, err := ask(limited)
	if err != nil && ctx.Err() != nil {
		return got, err // the client has gone
	}
	a.note(err)
	if err != nil {
		return got, unavailable("the cluster cannot review the request now")
	}
	return got, nil
}

// note logs once when reviews begin to fail, and once when they succeed again.
func (a *answers[V]) note(err error) {
	a.mu.Lock()
	changed := a.failing != (err != nil)
	a.failing = err != nil
	a.mu.Unlock()
	switch {
	case !changed:
	case err != nil:
		a.log.Error("aggregated: the cluster does not review requests, so they get 503", "review", a.kind,
			"error", errorlog.Bound(err), "hint", hint(needsReviews, err))
	default:
		a.log.Info("aggregated: the cluster reviews requests again", "review", a.kind)
	}
}
