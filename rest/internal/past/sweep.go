package past

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// The pauses before the first sweep of a Sweeper, and between two sweeps. A reader sees no expired version, swept or
// not.
const (
	firstSweep = time.Minute
	nextSweep  = time.Hour
)

// Sweeper removes expired versions, including versions of objects that no client writes any more. One timer serves all
// kinds of an API; no goroutine runs until it fires. Several replicas may sweep at once.
type Sweeper struct {
	env *resource.Environment

	mu      sync.Mutex
	timer   *time.Timer // nil while the API has served no kind with a history
	stopped bool
}

// NewSweeper returns the Sweeper of an API.
func NewSweeper(env *resource.Environment) *Sweeper { return &Sweeper{env: env} }

// Load makes the Sweeper look after a kind, if that has a history.
func (s *Sweeper) Load(res *resource.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if res.History() != nil && s.timer == nil && !s.stopped {
		s.timer = time.AfterFunc(firstSweep, s.sweep)
	}
}

// Stop ends the Sweeper for good.
func (s *Sweeper) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// sweep removes what has expired. The timer calls it, in a goroutine of its own.
func (s *Sweeper) sweep() {
	ctx, done, err := s.env.Begin()
	if err != nil {
		return
	}
	defer done()
	for _, res := range s.env.Served().Resources {
		if res.History() == nil {
			continue
		}
		if err := removeExpired(ctx, res); err != nil {
			s.env.Logger.Error("expired versions cannot be removed", slog.String("resource", res.GR.String()),
				slog.Any("error", err))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.timer.Reset(nextSweep)
	}
}

// removeExpired removes the expired versions of a kind. The last entry of an object that exists loses only the state
// that it holds, because it says who wrote the present one.
func removeExpired(ctx context.Context, res *resource.Resource) error {
	over := func(r *storage.Record) bool {
		if !expired(res, r.Written) {
			return false
		}
		e, err := entryOf(ctx, r)
		return err == nil && e.hasState()
	}
	return inPages(ctx, res.Store, watch.Key{Resource: res.HistoryName()}, over, func(page []*storage.Record) error {
		var gone []storage.Key
		for _, r := range page {
			last, err := isLast(ctx, res, r.Key)
			if err == nil && last {
				err = strip(ctx, res, r)
			}
			if err != nil {
				return err
			}
			if !last {
				gone = append(gone, r.Key)
			}
		}
		return remove(ctx, res.Store, gone)
	})
}

// isLast reports whether an entry is the last one of its object.
func isLast(ctx context.Context, res *resource.Resource, key storage.Key) (bool, error) {
	next, err := res.Store.List(ctx, storage.Query{
		Within: watch.Key{Resource: key.Resource, Namespace: key.Namespace}, After: key, Limit: 1, Revision: storage.Any,
	}, nil)
	if err != nil || len(next.Records) == 0 {
		return err == nil, err
	}
	object := key.Name[:strings.LastIndexByte(key.Name, '/')+1]
	return !strings.HasPrefix(next.Records[0].Key.Name, object), nil
}

// strip removes the state from the last entry of an object, or the entry if the object does not exist.
func strip(ctx context.Context, res *resource.Resource, r *storage.Record) error {
	e, err := entryOf(ctx, r)
	if err != nil {
		return err
	}
	beginning, err := e.content()
	if err != nil {
		return err
	}
	beginning.Object = nil
	name, _, _ := strings.Cut(r.Key.Name, "/")
	keys := []storage.Key{r.Key, res.Key(r.Key.Namespace, name)}
	_, err = res.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		next := make([][]byte, 2)
		if current[1] != nil {
			var err error
			if next[1], err = current[1].JSON(ctx); err != nil {
				return nil, err
			}
		}
		if current[0] == nil || current[1] == nil || current[1].UID != e.uid {
			return next, nil
		}
		next[0], err = beginning.encode(res.Store.Revision() + 1)
		return next, err
	})
	return err
}
