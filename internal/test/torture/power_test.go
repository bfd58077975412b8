package torture

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/bolt"
)

// outage is a file on a disk whose power may fail at any time, with the reports of its writers.
type outage struct {
	t      *testing.T
	random *rand.Rand
	path   string // the path of the file that the children write
	image  string // the path of the file after a power failure
	disk   disk
	model  *model // the state before the children
	runs   []*run
	images int
}

// newOutage creates a file without objects.
func newOutage(t *testing.T, seed uint64) *outage {
	directory := t.TempDir()
	o := &outage{t: t, random: rand.New(rand.NewPCG(seed, 0)), path: filepath.Join(directory, "objects.db"),
		image: filepath.Join(directory, "image.db"), model: newModel()}
	t.Cleanup(func() {
		t.Logf("process %d, image %d, pending %v, lost %v, DECORUM_TORTURE_SEED=%d", len(o.runs), o.images, o.disk.pending,
			o.disk.lost, seed)
	})
	store, err := bolt.Open(t.Context(), options(o.path))
	require.NoError(t, err)
	require.NoError(t, register(t.Context(), store))
	require.NoError(t, store.Close())
	require.NoError(t, o.model.check(read(t, o.path, o.model, true)))
	o.disk.durable, err = os.ReadFile(o.path)
	require.NoError(t, err)
	return o
}

// run runs a child that kills itself, while strace injects faults. After each system call, it checks files that a power
// failure could leave.
func (o *outage) run(images int, inject string, environment ...string) {
	r := newRun()
	o.runs = append(o.runs, r)
	environment = append(environment, childPath+"="+o.path, fmt.Sprint(childRun, "=", len(o.runs)), childAfter+"=0")
	calls := trace(o.t.Context(), o.t, o.path, inject, environment...)
	began := map[string]int{}    // how many changes were pending when the sync of a thread began
	writing := map[string]bool{} // whether an unfinished call of a thread changes the file; bbolt has one writer
	for _, c := range calls {
		switch c.name {
		case "write":
			for line := range strings.Lines(string(c.data)) {
				require.NoError(o.t, r.parse(strings.Fields(line)), "%s", line)
			}
			continue
		case "pwrite64", "ftruncate":
			if c.begins && !(c.ends && c.failed) {
				o.disk.pending = append(o.disk.pending, change{c.at, c.data})
				writing[c.thread] = !c.ends || c.unknown
			}
			if !c.begins {
				if writing[c.thread] && c.failed {
					o.disk.pending = o.disk.pending[:len(o.disk.pending)-1]
				}
				writing[c.thread] = writing[c.thread] && c.unknown
			}
		default:
			if c.begins {
				began[c.thread] = len(o.disk.pending)
				o.disk.images(o.random, images, o.check)
			}
			if n, ok := began[c.thread]; ok && c.ends {
				if !c.unknown {
					o.disk.sync(n, !c.failed)
				}
				delete(began, c.thread)
			}
		}
	}
	cache, err := os.ReadFile(o.path)
	require.NoError(o.t, err)
	for _, unfinished := range writing {
		if unfinished { // the process died in the call, which may have done nothing
			last := &o.disk.pending[len(o.disk.pending)-1]
			if last.data == nil {
				last.at = int64(len(cache))
			} else {
				last.data = cache[last.at : int(last.at)+len(last.data)]
			}
		}
	}
	if expected := o.disk.cache(); !bytes.Equal(cache, expected) {
		at := 0
		for at < min(len(cache), len(expected)) && cache[at] == expected[at] {
			at++
		}
		require.Fail(o.t, "the calls do not explain the file", "%d bytes, expected %d, difference at %d", len(cache),
			len(expected), at)
	}
	o.disk.images(o.random, images, o.check)
}

// check opens a file in a state after a power failure.
func (o *outage) check(image []byte) {
	o.images++
	require.NoError(o.t, os.WriteFile(o.image, image, 0o600))
	m := o.model.clone()
	for _, r := range o.runs {
		require.NoError(o.t, m.add(r))
	}
	readOnly := o.random.IntN(2) == 0
	require.NoError(o.t, m.check(read(o.t, o.image, m, readOnly)))
	after, err := os.ReadFile(o.image)
	require.NoError(o.t, err)
	require.True(o.t, !readOnly || bytes.Equal(image, after), "reading changes nothing")
}

func (m *model) clone() *model {
	next := *m
	next.known, next.state, next.log, next.runs = maps.Clone(m.known), maps.Clone(m.state), slices.Clone(m.log), nil
	return &next
}

// The power fails while processes write, and shortly after a process was killed before a sync.
func TestPowerLoss(t *testing.T) {
	o := newOutage(t, number(t, "DECORUM_TORTURE_SEED", rand.Uint64()))
	for range max(4, number(t, "DECORUM_TORTURE", 0)/10) {
		o.run(6, "fdatasync:delay_enter=3000",
			fmt.Sprint(childLife, "=", time.Duration(10+o.random.IntN(60))*time.Millisecond))
	}
}
