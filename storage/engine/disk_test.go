package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

var errDisk = errors.New("the disk is broken")

// platter holds the data of a test's disk, in the simplest form that a backend needs.
type platter struct {
	revision, oldest watch.Revision
	records          map[storage.Key]engine.Stored
	history          []engine.PriorState
	forms            map[string][]string // the forms of each resource, the oldest first
}

func newPlatter() *platter {
	return &platter{records: map[storage.Key]engine.Stored{}, forms: map[string][]string{}}
}

func (p *platter) copy() *platter {
	c := *p
	c.records, c.history, c.forms = maps.Clone(p.records), slices.Clone(p.history), maps.Clone(p.forms)
	return &c
}

// disk is a backend with delays and faults.
type disk struct {
	delay  time.Duration
	before func(*platter) error // called before each append
	after  func(*platter) error

	mu sync.Mutex
	*platter
	failed  bool
	appends int
	groups  int
	closed  bool
}

func (d *disk) Begin(_ context.Context, clock watch.Revision) (engine.Start, error) {
	if d.oldest == 0 {
		d.oldest = clock
	}
	d.revision = max(d.revision, clock)
	return engine.Start{Revision: d.revision, Oldest: d.oldest}, nil
}

func (d *disk) Load(_ context.Context, resource, form string, yield func(engine.Stored) error) error {
	d.mu.Lock()
	var all []engine.Stored
	for key, s := range d.records {
		if key.Resource == resource {
			s.Newer = slices.Contains(d.forms[resource], form) &&
				slices.Index(d.forms[resource], s.Form) > slices.Index(d.forms[resource], form)
			s.JSON = bytes.Clone(s.JSON)
			all = append(all, s)
		}
	}
	d.mu.Unlock()
	slices.SortFunc(all, func(a, b engine.Stored) int {
		return cmp.Or(cmp.Compare(a.Key.Namespace, b.Key.Namespace), cmp.Compare(a.Key.Name, b.Key.Name))
	})
	for _, s := range all {
		if err := yield(s); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) History(_ context.Context, resource string, yield func(engine.PriorState) error) (watch.Revision,
	error) {
	for _, u := range slices.Backward(d.history) {
		if u.Key.Resource == resource && u.Revision > d.oldest {
			u.Before = bytes.Clone(u.Before)
			if err := yield(u); err != nil {
				return d.oldest, err
			}
		}
	}
	return d.oldest, nil
}

func (d *disk) ResourcesIn(_ context.Context, namespace string, known func(string) bool) (all []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.records {
		if (namespace == "" || key.Namespace == namespace) && !known(key.Resource) {
			all = append(all, key.Resource)
		}
	}
	return all, nil
}

func (d *disk) Rewrite(_ context.Context, resource, form string, records []*storage.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.forms[resource], form) {
		d.forms[resource] = append(slices.Clone(d.forms[resource]), form)
	}
	for _, r := range records {
		if d.records[r.Key].Revision == r.Revision {
			d.records[r.Key] = engine.Stored{Key: r.Key, Revision: r.Revision, Written: r.Written,
				JSON: bytes.Clone(storagetest.Text(r)),
				Form: form}
		}
	}
	return nil
}

func (d *disk) Append(_ context.Context, groups []engine.Group) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed {
		panic("append after a failure")
	}
	<-time.After(d.delay)
	err := d.before(d.platter)
	if err == nil {
		for _, g := range groups {
			d.write(g)
		}
		err = d.after(d.platter)
	}
	d.appends++
	d.groups += len(groups)
	d.failed = err != nil
	return err
}

func (d *disk) write(g engine.Group) {
	end := g.Entries[len(g.Entries)-1].Revision
	for _, e := range g.Entries {
		if !slices.Contains(d.forms[e.Key.Resource], e.Form) || e.Revision <= d.revision {
			panic(fmt.Sprintf("form %q, revision %d after %d", e.Form, e.Revision, d.revision))
		}
		u := engine.PriorState{Key: e.Key, Revision: e.Revision, GroupEnd: end, At: g.At, Form: e.Form}
		if e.Previous != nil {
			u.Before, u.Written = bytes.Clone(storagetest.Text(e.Previous)), e.Previous.Written
		}
		d.history = append(d.history, u)
		if e.Current != nil {
			d.records[e.Key] = engine.Stored{Key: e.Key, Revision: e.Revision, Written: e.Current.Written,
				JSON: bytes.Clone(storagetest.Text(e.Current)), Form: e.Form}
		} else {
			delete(d.records, e.Key)
		}
		d.revision = e.Revision
	}
}

func (d *disk) Compact(_ context.Context, through watch.Revision) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.history) > 0 && d.history[0].GroupEnd <= through {
		d.oldest = max(d.oldest, d.history[0].GroupEnd)
		d.history = d.history[1:]
	}
	if len(d.history) == 0 {
		d.oldest = max(d.oldest, min(through, d.revision))
	}
	return nil
}

func (d *disk) Close() error {
	if d.closed {
		panic("closed twice")
	}
	d.closed = true
	return nil
}

// disks makes stores on disks, for storagetest.
type disks struct {
	delay time.Duration
	mu    sync.Mutex
	of    map[storage.Store]*disk
}

func (d *disks) open(t *testing.T, on *disk) *engine.Engine {
	if on.before == nil {
		on.before = func(*platter) error { return nil }
	}
	if on.after == nil {
		on.after = func(*platter) error { return nil }
	}
	on.delay = d.delay
	engine, err := engine.Open(t.Context(), on, storage.Options{})
	require.NoError(t, err)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[storage.Store]*disk{}
	}
	d.of[engine] = on
	return engine
}

func (d *disks) subject() storagetest.Subject {
	return storagetest.Subject{
		New: func(t *testing.T) storage.Store { return d.open(t, &disk{platter: newPlatter()}) },
		Reopen: func(t *testing.T, store storage.Store) storage.Store {
			require.NoError(t, store.Close())
			return d.open(t, &disk{platter: d.of[store].platter})
		},
		Fail: func(t *testing.T, store storage.Store, n int) {
			on := d.of[store]
			on.mu.Lock()
			defer on.mu.Unlock()
			on.before = func(*platter) error {
				if n--; n < 0 {
					return errDisk
				}
				return nil
			}
		},
		// The n-th append simulates the end of the process: for even n before the disk stores the append, for odd n
		// afterwards.
		Kill: func(t *testing.T, n int) ([]byte, storage.Store) {
			var written bytes.Buffer
			kept, counted := (*platter)(nil), 0
			die := func(p *platter) error {
				if counted++; counted > n {
					kept = p.copy()
					return io.ErrUnexpectedEOF
				}
				return nil
			}
			on := &disk{platter: newPlatter(), before: die}
			if n%2 == 1 {
				on.before, on.after = nil, die
			}
			engine := d.open(t, on)
			require.ErrorIs(t, storagetest.Work(t.Context(), engine, &written), io.ErrUnexpectedEOF)
			require.NoError(t, engine.Close())
			return written.Bytes(), d.open(t, &disk{platter: kept})
		},
	}
}

func TestEngineOnADisk(t *testing.T) {
	for name, delay := range map[string]time.Duration{"of no delay": 0, "of 50 µs": 50 * time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			storagetest.Run(t, (&disks{delay: delay}).subject())
		})
	}
}

// A store in memory can serve as its own peer, which tests the chapter about peers.
func TestMemoryAsItsOwnPeer(t *testing.T) {
	storagetest.Run(t, storagetest.Subject{
		New:  func(*testing.T) storage.Store { return engine.New(storage.Options{}) },
		Peer: func(_ *testing.T, store storage.Store) storage.Store { return notClosed{store.(*engine.Engine)} },
	})
}

type notClosed struct{ *engine.Engine }

func (notClosed) Close() error { return nil }

// gated returns an engine on a disk whose appends wait for a value in gate.
func gated(t *testing.T) (m *engine.Engine, on *disk, gate chan error) {
	gate = make(chan error)
	on = &disk{platter: newPlatter(), before: func(*platter) error { return <-gate }}
	m = (&disks{}).open(t, on)
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}))
	return m, on, gate
}

func create(ctx context.Context, m *engine.Engine, name string) (*storage.Record, error) {
	return m.Update(ctx, pod(name), func(current *storage.Record) ([]byte, error) {
		if current != nil {
			return nil, fmt.Errorf("%s exists", strings.ToUpper(name))
		}
		return podJSON(name, 1), nil
	})
}
