package chaos_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// registerCount is how many registers the clients of a round share.
const registerCount = 3

// impatience is how long a client waits for an answer. A request to a replica that is paused ends without one.
const impatience = 700 * time.Millisecond

type verb int

const (
	get verb = iota
	list
	post
	put    // replaces one value by another one
	merge  // sets a value unconditionally
	remove // deletes one value
)

// call is an operation of a client. The value to write is unique; old is the value that the client read before.
type call struct {
	verb       verb
	register   int
	value, old string
}

// outcome is what became of a call.
type outcome struct {
	code int // 200: done, 404 or 409: refused, 0: unknown
	seen [registerCount]string
}

// registersModel models the registers of a round, which a list shows at one moment.
var registersModel = porcupine.Model{
	Init: func() any { return [registerCount]string{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.([registerCount]string), input.(call), output.(outcome)
		is := &s[in.register]
		switch {
		case in.verb == list:
			return s == out.seen, s
		case in.verb == get:
			return *is == out.seen[in.register], s
		case out.code == http.StatusNotFound:
			return *is == "", s
		case out.code == http.StatusConflict && in.verb == post:
			return *is != "", s
		case out.code == http.StatusConflict:
			return *is != in.old, s
		case in.verb == post && *is != "", in.verb == merge && *is == "",
			(in.verb == put || in.verb == remove) && *is != in.old:
			return false, s
		}
		*is = in.value
		return true, s
	},
}

// operation is a call with its outcome and its time.
type operation struct {
	call
	outcome
	revision    uint64 // the revision of the object that a write answered
	status      int    // the code of the answer
	client      int
	began, took time.Duration
}

// worker is a client that sends requests to random replicas, one at a time.
type worker struct {
	round    int
	id       int
	random   *rand.Rand
	urls     []string
	start    time.Time
	known    [registerCount]Register // what it read last
	recorded []operation
}

func (w *worker) name(register int) string { return fmt.Sprintf("round-%d-%d", w.round, register) }

// work performs one operation.
func (w *worker) work(ctx context.Context, n int) {
	c := call{verb: verb(w.random.IntN(int(remove) + 1)), register: w.random.IntN(registerCount)}
	known := &w.known[c.register]
	if (c.verb == put || c.verb == remove) && known.Spec.Value == "" {
		c.verb = get
	}
	if c.verb == put || c.verb == remove {
		c.old = known.Spec.Value
	}
	if c.verb == post || c.verb == put || c.verb == merge {
		c.value = fmt.Sprintf("%d-%d-%d", w.round, w.id, n)
	}
	began := time.Since(w.start)
	bounded, cancel := context.WithTimeout(ctx, impatience)
	a := w.send(bounded, c)
	cancel()
	o := operation{call: c, status: a.code, client: w.id, began: began, took: time.Since(w.start) - began}
	switch {
	case a.code == http.StatusOK || a.code == http.StatusCreated:
		o.code = http.StatusOK
	case a.code == http.StatusNotFound || a.code == http.StatusConflict:
		o.code = a.code
	case c.verb == get || c.verb == list:
		return // a read that failed says nothing
	}
	switch {
	case c.verb == list:
		for _, r := range a.list().Items {
			for i := range w.known {
				if r.Name == w.name(i) {
					o.seen[i], w.known[i] = r.Spec.Value, r
				}
			}
		}
	case c.verb == get && o.code == http.StatusOK:
		*known = a.register()
		o.seen[c.register] = known.Spec.Value
	case o.code == http.StatusOK && c.verb != remove:
		*known = a.register()
		o.revision = event{Object: *known}.revision()
	}
	w.recorded = append(w.recorded, o)
}

func (w *worker) send(ctx context.Context, c call) answer {
	all := w.urls[w.random.IntN(len(w.urls))] + path
	one := all + "/" + w.name(c.register)
	version := w.known[c.register].ResourceVersion
	switch c.verb {
	case list:
		return send(ctx, http.MethodGet, all, nil)
	case post:
		return send(ctx, http.MethodPost, all, registerOf(w.name(c.register), c.value, ""))
	case put:
		return send(ctx, http.MethodPut, one, registerOf(w.name(c.register), c.value, version))
	case merge:
		return send(ctx, http.MethodPatch, one, map[string]any{"spec": map[string]any{"value": c.value}})
	case remove:
		return send(ctx, http.MethodDelete, one, map[string]any{"kind": "DeleteOptions", "apiVersion": "v1",
			"preconditions": map[string]any{"resourceVersion": version}})
	}
	return send(ctx, http.MethodGet, one, nil)
}

// settle decides from the history which of the operations with an unknown outcome took effect, and checks that nothing
// that was acknowledged is lost, and that nothing was read that was not committed. It returns the operations for the
// checker.
func settle(t testing.TB, operations []operation, all *truth) (settled []porcupine.Operation) {
	t.Helper()
	// Of several deletions of one value without an answer, the earliest counts as the one that took effect: what it
	// explains includes what the others explain.
	slices.SortStableFunc(operations, func(a, b operation) int { return cmp.Compare(a.began, b.began) })
	deleted := map[string]bool{} // the values whose deletion was acknowledged, or is attributed to an operation
	for _, o := range operations {
		if o.verb == remove && o.code == http.StatusOK {
			deleted[o.old] = true
			e, ok := all.after[o.old]
			require.True(t, ok && e.gone, "the acknowledged deletion of %s is lost", o.old)
		}
	}
	for _, o := range operations {
		ended := (o.began + o.took).Nanoseconds()
		writes := o.verb == post || o.verb == put || o.verb == merge
		e, committed := all.byValue[o.value]
		switch {
		case writes && o.code == http.StatusOK:
			require.True(t, committed, "the acknowledged value %s is lost", o.value)
			assert.Equal(t, e.revision, o.revision, "the resourceVersion of %s", o.value)
		case writes && o.status == http.StatusServiceUnavailable:
			require.False(t, committed, "the refused value %s was committed", o.value)
			continue
		case writes && o.code == 0 && !committed, writes && o.code == http.StatusConflict && o.verb == merge:
			continue
		case o.verb == remove && o.code == 0:
			if e, ok := all.after[o.old]; !ok || !e.gone || deleted[o.old] {
				continue
			}
			deleted[o.old] = true
		}
		if o.code == 0 {
			o.code, ended = http.StatusOK, math.MaxInt64
		}
		for _, seen := range o.seen {
			if _, ok := all.byValue[seen]; seen != "" {
				require.True(t, ok, "a client read %s, which was not committed", seen)
			}
		}
		settled = append(settled, porcupine.Operation{ClientId: o.client, Input: o.call, Call: o.began.Nanoseconds(),
			Output: o.outcome, Return: ended})
		if ended == math.MaxInt64 {
			settled[len(settled)-1].ClientId += 1_000_000 + len(settled) // the operations of one client must not overlap
		}
	}
	return settled
}
