package clients_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// versions are the versions of objects in a replica or in the store, by namespace/name.
type versions map[string]uint64

// replica is the store of a reflector. It checks that everything it receives follows from what it received before.
type replica struct {
	name string

	mu      sync.Mutex
	objects versions
	last    uint64 // version of the last list or event
	faults  []string
	told    chan struct{} // holds an element if there is something new
}

var _ cache.ReflectorStore = (*replica)(nil)

func newReplica(name string) *replica {
	return &replica{name: name, objects: versions{}, told: make(chan struct{}, 1)}
}

func (r *replica) Add(o any) error    { return r.event("ADDED", o) }
func (r *replica) Update(o any) error { return r.event("MODIFIED", o) }
func (r *replica) Delete(o any) error { return r.event("DELETED", o) }
func (r *replica) Resync() error      { return nil }

// event checks and applies an event of a watch: it must concern the right object, and be younger than all before it.
func (r *replica) event(event string, o any) error {
	key, version, err := identity(o)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was, had := r.objects[key]
	if version <= r.last {
		r.fault("%s of %s at %d comes after %d", event, key, version, r.last)
	}
	if had == (event == "ADDED") {
		r.fault("%s of %s at %d: it was %d (%t)", event, key, version, was, had)
	}
	r.last, r.objects[key] = version, version
	if event == "DELETED" {
		delete(r.objects, key)
	}
	r.wake()
	return nil
}

// Replace checks and applies a list, which must not be older than anything before it.
func (r *replica) Replace(all []any, resourceVersion string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if err != nil {
		return err
	}
	if version < r.last {
		r.fault("a list at %d comes after %d", version, r.last)
	}
	r.objects, r.last = versions{}, version
	for _, o := range all {
		key, version, err := identity(o)
		if err != nil {
			return err
		}
		if _, twice := r.objects[key]; twice || version > r.last {
			r.fault("a list at %d with %s at %d (duplicate: %t)", r.last, key, version, twice)
		}
		r.objects[key] = version
	}
	r.wake()
	return nil
}

// fault records a violation. The caller holds the lock.
func (r *replica) fault(format string, args ...any) {
	r.faults = append(r.faults, r.name+": "+fmt.Sprintf(format, args...))
}

func (r *replica) wake() {
	select {
	case r.told <- struct{}{}:
	default:
	}
}

// awaitState waits until the replica equals a state, and returns the violations.
func (r *replica) awaitState(want versions) []string {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		objects, faults := r.read()
		if maps.Equal(objects, want) || len(faults) > 0 {
			return faults
		}
		select {
		case <-r.told:
		case <-deadline.C:
			return []string{fmt.Sprintf("%s has not caught up with the store: %v, want %v", r.name, objects, want)}
		}
	}
}

func (r *replica) read() (versions, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.objects), slices.Clone(r.faults)
}

func identity(o any) (key string, version uint64, err error) {
	m, err := meta.Accessor(o)
	if err != nil {
		return "", 0, err
	}
	version, err = strconv.ParseUint(m.GetResourceVersion(), 10, 64)
	return m.GetNamespace() + "/" + m.GetName(), version, err
}

// The replica must find every fault that a server could have.
func TestReplica(t *testing.T) {
	object := func(name string, version int) any {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name,
			ResourceVersion: strconv.Itoa(version)}}
	}
	for _, c := range []struct {
		name string
		tell func(r *replica) error
		want string // part of the violation; "" if nothing is wrong
	}{
		{"what follows", func(r *replica) error {
			return errors.Join(r.Add(object("b", 11)), r.Update(object("a", 12)), r.Delete(object("a", 13)),
				r.Add(object("a", 14)), r.Replace([]any{object("a", 14)}, "14"))
		}, ""},
		{"a duplicate event", func(r *replica) error {
			return errors.Join(r.Update(object("a", 11)), r.Update(object("a", 11)))
		}, "comes after"},
		{"events out of order", func(r *replica) error {
			return errors.Join(r.Add(object("c", 12)), r.Update(object("a", 11)))
		}, "comes after"},
		{"a duplicate addition", func(r *replica) error { return r.Add(object("a", 11)) }, "ADDED of default/a"},
		{"a change of a missing object", func(r *replica) error { return r.Update(object("b", 11)) },
			"MODIFIED of default/b"},
		{"a deletion of a missing object", func(r *replica) error { return r.Delete(object("b", 11)) },
			"DELETED of default/b"},
		{"a list that goes back", func(r *replica) error { return r.Replace(nil, "9") }, "comes after 10"},
		{"a list with a double", func(r *replica) error { return r.Replace([]any{object("a", 9), object("a", 9)}, "11") },
			"duplicate: true"},
		{"a list with an object from the future", func(r *replica) error { return r.Replace([]any{object("a", 12)}, "11") },
			"a list at 11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReplica("it")
			require.NoError(t, r.Replace([]any{object("a", 9)}, "10"))
			require.NoError(t, c.tell(r))
			_, faults := r.read()
			if c.want == "" {
				assert.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			assert.Contains(t, faults[0], c.want)
		})
	}
}
