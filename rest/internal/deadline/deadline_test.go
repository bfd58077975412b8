package deadline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/deadline"
)

type keyOf string

// state is what a context tells.
type state struct {
	err      error
	deadline time.Duration
	closed   bool
	value    any
}

// look asks a context for everything, but for its channel only if closed is true.
func look(ctx context.Context, since time.Time, closed bool) (s state) {
	at, _ := ctx.Deadline()
	s = state{err: ctx.Err(), deadline: at.Sub(since), value: ctx.Value(keyOf("request"))}
	if closed {
		select {
		case <-ctx.Done():
			s.closed = true
		default:
		}
	}
	return s
}

// In each round, the same happens to a context of this package and to one of the standard library, and both tell the
// same.
func TestLikeTheStandardLibrary(t *testing.T) {
	for round := range 2000 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(round), 0))
				began := time.Now()
				parent, cancelParent := context.WithCancel(context.WithValue(t.Context(), keyOf("request"), 7))
				defer cancelParent()
				if r.IntN(3) == 0 {
					var stop context.CancelFunc
					parent, stop = context.WithTimeout(parent, time.Duration(r.IntN(20))*time.Second)
					defer stop()
				}
				limit := time.Duration(r.IntN(20)-2) * time.Second
				ours, cancelOurs := deadline.After(parent, limit)
				theirs, cancelTheirs := context.WithTimeout(parent, limit)
				defer cancelOurs()
				defer cancelTheirs()
				// Each event is followed by a question: only a context that is asked tells the order of two ends.
				require.Equal(t, look(theirs, began, false), look(ours, began, false))
				for range 1 + r.IntN(6) {
					switch r.IntN(6) {
					case 0:
						cancelParent()
					case 1:
						cancelOurs()
						cancelTheirs()
					case 2:
						var stop, stopTheirs context.CancelFunc
						ours, stop = context.WithTimeout(ours, time.Duration(r.IntN(10))*time.Second)
						theirs, stopTheirs = context.WithDeadline(theirs, deadlineOf(ours))
						defer stop()
						defer stopTheirs()
					default:
						time.Sleep(time.Duration(r.IntN(8))*time.Second + time.Millisecond)
					}
					synctest.Wait()
					closed := r.IntN(2) == 0
					require.Equal(t, look(theirs, began, closed), look(ours, began, closed))
				}
			})
		})
	}
}

func deadlineOf(ctx context.Context) time.Time {
	at, _ := ctx.Deadline()
	return at
}

// Somebody who waits learns of the deadline, of an end of the parent and of a cancellation, whenever the wait began.
func TestDone(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(cancelParent, cancel context.CancelFunc)
		err  error
	}{
		{"deadline", func(_, _ context.CancelFunc) { time.Sleep(time.Minute) }, context.DeadlineExceeded},
		{"parent", func(cancelParent, _ context.CancelFunc) { cancelParent() }, context.Canceled},
		{"cancelled", func(_, cancel context.CancelFunc) { cancel() }, context.Canceled},
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, waits first: %v", c.name, first), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					parent, cancelParent := context.WithCancel(t.Context())
					defer cancelParent()
					ctx, cancel := deadline.After(parent, time.Minute)
					defer cancel()
					if first {
						require.NoError(t, look(ctx, time.Now(), true).err)
					}
					c.end(cancelParent, cancel)
					<-ctx.Done()
					require.Equal(t, c.err, ctx.Err())
					require.True(t, errors.Is(context.Cause(ctx), c.err))
				})
			})
		}
	}
}

// A context that nobody waits for costs one allocation.
func TestAllocations(t *testing.T) {
	parent, stop := context.WithCancel(t.Context())
	defer stop()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		ctx, cancel := deadline.After(parent, time.Minute)
		if ctx.Err() != nil {
			t.Fatal("the context has ended")
		}
		cancel()
	}), 2.0)
}
