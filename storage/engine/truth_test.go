package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// step is the distance between the first revisions of two groups.
const step = 1024

var errCut = errors.New("the connection is cut")

// truth is what several authorities of a test share.
type truth struct {
	mu        sync.Mutex
	changed   chan struct{} // closed at each commit
	base      watch.Revision
	groups    []engine.Arrival
	compacted watch.Revision // the bound of loads and feeds
	floor     watch.Revision // the bound of new replicas
	forms     map[string][]string
	charged   map[string]watch.Revision // the last groups that charge the accounts
}

func newTruth() *truth {
	return &truth{changed: make(chan struct{}), forms: map[string][]string{}, charged: map[string]watch.Revision{}}
}

// replica is the connection of one replica to the truth.
type replica struct {
	*truth
	hold    chan struct{} // the feed receives from it before each group, unless it is nil
	failing func(call string) error
	keeps   func(text []byte) []byte // what it keeps of a text; nil keeps all
}

func (r *replica) fail(call string) error {
	if r.failing == nil {
		return nil
	}
	return r.failing(call)
}

func (t *truth) last() watch.Revision {
	if len(t.groups) == 0 {
		return t.base
	}
	return t.groups[len(t.groups)-1].End
}

// known is a revision that no group before the next one reaches.
func (t *truth) known() watch.Revision { return t.base + watch.Revision(len(t.groups)+1)*step - 1 }

func (r *replica) Begin(_ context.Context, clock watch.Revision, _ time.Time) (watch.Revision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.base == 0 {
		r.base = clock
		r.compacted, r.floor = clock, clock
	}
	return max(r.floor, r.compacted), r.fail("Begin")
}

func (r *replica) Announce(_ context.Context, resource, form string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.forms[resource], form) {
		r.forms[resource] = append(r.forms[resource], form)
	}
	return r.fail("Announce")
}

func (r *replica) Newer(resource, form, than string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Index(r.forms[resource], form) > slices.Index(r.forms[resource], than)
}

// state returns the records of a resource at a revision. The caller holds the lock.
func (t *truth) state(resource string, at watch.Revision) map[storage.Key]engine.Stored {
	all := map[storage.Key]engine.Stored{}
	for _, g := range t.groups {
		for _, e := range g.Entries {
			switch {
			case g.End > at || resource != "" && e.Key.Resource != resource:
			case e.JSON == nil:
				delete(all, e.Key)
			default:
				all[e.Key] = e
			}
		}
	}
	return all
}

func (r *replica) Load(ctx context.Context, resource string, at watch.Revision,
	yield func(engine.Stored) error) error {
	r.mu.Lock()
	compacted, all := r.compacted, slices.Collect(maps.Values(r.state(resource, at)))
	r.mu.Unlock()
	if at < compacted {
		return status.Expired("compacted")
	}
	slices.SortFunc(all, func(a, b engine.Stored) int {
		return cmp.Or(cmp.Compare(a.Key.Namespace, b.Key.Namespace), cmp.Compare(a.Key.Name, b.Key.Name))
	})
	for _, s := range all {
		s.JSON = bytes.Clone(s.JSON)
		if err := yield(s); err != nil {
			return err
		}
	}
	return r.fail("Load")
}

func (r *replica) ResourcesIn(_ context.Context, namespace string, known func(string) bool) (all []string, err error) {
	if err := r.fail("ResourcesIn"); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.state("", r.last()) {
		if (namespace == "" || key.Namespace == namespace) && !known(key.Resource) {
			all = append(all, key.Resource)
		}
	}
	return all, nil
}

func (r *replica) Follow(ctx context.Context, after watch.Revision, yield func(engine.Arrival) error) error {
	for {
		r.mu.Lock()
		changed, compacted := r.changed, r.compacted
		var next *engine.Arrival
		for i := range r.groups {
			if r.groups[i].End > after {
				next = &engine.Arrival{Entries: slices.Clone(r.groups[i].Entries), End: r.groups[i].End, At: r.groups[i].At}
				break
			}
		}
		r.mu.Unlock()
		if err := r.fail("Follow"); err != nil {
			return err
		}
		if after < compacted {
			return status.Expired("compacted")
		}
		if next == nil {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if r.hold != nil {
			select {
			case <-r.hold:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		for i := range next.Entries {
			next.Entries[i].JSON = bytes.Clone(next.Entries[i].JSON)
		}
		if err := yield(*next); err != nil {
			return err
		}
		after = next.End
	}
}

func (r *replica) Latest(context.Context) (last, known watch.Revision, err error) {
	if err := r.fail("Latest"); err != nil {
		return 0, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last(), r.known(), nil
}

func (r *replica) Commit(_ context.Context, group engine.Group) (engine.Verdict, error) {
	if err := r.fail("Commit"); err != nil {
		return engine.Verdict{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, account := range group.Accounts {
		if r.charged[account] > group.Seen {
			return engine.Verdict{Revision: r.last()}, nil
		}
	}
	state := r.state("", r.last())
	a := engine.Arrival{At: group.At}
	revision := r.known() + 1
	first := revision
	var kept []engine.Stored
	for _, e := range group.Entries {
		if old, ok := state[e.Key]; ok != (e.Previous != nil) || ok && old.Revision != e.Previous.Revision {
			return engine.Verdict{Revision: r.last()}, nil
		}
		if e.Current == e.Previous {
			continue
		}
		s := engine.Stored{Key: e.Key, Revision: revision, Form: e.Form}
		if e.Current != nil {
			s.Written, s.Creator, s.JSON = e.Current.Written, e.Current.Creator, storagetest.TextAt(e.Current, revision)
			if r.keeps != nil {
				s.JSON = r.keeps(s.JSON)
				kept = append(kept, s)
			}
		}
		a.Entries = append(a.Entries, s)
		a.End = revision
		revision++
	}
	for _, account := range group.Accounts {
		r.charged[account] = a.End
	}
	r.add(a)
	return engine.Verdict{Done: true, Revision: first, Kept: kept}, r.fail("Committed")
}

func (t *truth) add(a engine.Arrival) {
	t.groups = append(t.groups, a)
	close(t.changed)
	t.changed = make(chan struct{})
}

func (r *replica) Compact(_ context.Context, through watch.Revision) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.floor = max(r.floor, through)
	return r.fail("Compact")
}

func (r *replica) Close() error { return r.fail("Close") }

func openReplica(t *testing.T, r *replica, opts storage.Options) *engine.Engine {
	t.Helper()
	m, err := engine.OpenReplica(t.Context(), r, opts)
	require.NoError(t, err)
	return m
}
