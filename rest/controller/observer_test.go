package controller_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/controller"
)

// journal is an Observer that writes down what it sees.
type journal struct {
	mu    sync.Mutex
	lines []string
	stats func() controller.QueueStats
	lags  chan time.Duration
}

func (d *journal) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// read returns what was written since the last call.
func (d *journal) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *journal) ObserveQueue(name string, stats func() controller.QueueStats) controller.QueueObservation {
	d.note("observe %s", name)
	d.stats = stats
	return controller.QueueObservation{
		Added:      func() { d.note("added") },
		Delayed:    func() { d.note("delayed") },
		Taken:      func(waited time.Duration) { d.note("taken after %v", waited) },
		Done:       func(worked time.Duration) { d.note("done after %v", worked) },
		Reconciled: func(r controller.Result, err error) { d.note("reconciled %v %v", r.RequeueAfter, err) },
		ShutDown:   func() { d.note("down") },
	}
}

func (d *journal) ObserveInformer(name string) func(time.Duration) {
	d.note("observe %s", name)
	return func(lag time.Duration) { d.lags <- lag }
}

func TestObserverOfAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &journal{}
		q := controller.NewQueue[string](controller.QueueOptions{Name: "work", Observer: d})
		pass := func(d time.Duration) { <-time.After(d) }
		assert.Equal(t, controller.QueueStats{}, d.stats())
		q.Add("a")
		pass(time.Second)
		q.Add("a") // it waits already
		q.Add("b")
		assert.Equal(t, controller.QueueStats{Ready: 2}, d.stats())
		_, err := q.Get(t.Context())
		require.NoError(t, err)
		pass(time.Second)
		q.Add("a") // while a worker holds it
		_, err = q.Get(t.Context())
		require.NoError(t, err)
		pass(time.Second)
		assert.Equal(t, controller.QueueStats{AtWork: 2, Unfinished: 3 * time.Second, Longest: 2 * time.Second,
			LongestKey: "a"}, d.stats())
		q.Done("b")
		q.Done("b") // has no effect
		q.Done("a")
		assert.Equal(t, controller.QueueStats{Ready: 1}, d.stats())
		_, err = q.Get(t.Context())
		require.NoError(t, err)
		q.AddRateLimited("a")
		q.AddAfter("c", time.Hour)
		q.AddAfter("d", 0)
		assert.Equal(t, controller.QueueStats{Ready: 1, Delayed: 2, AtWork: 1, Failing: 1, MostFailures: 1}, d.stats())
		q.ShutDown()
		q.Add("e")
		q.AddAfter("e", time.Hour)
		assert.Equal(t, []string{
			"observe work",
			"added", "added", "taken after 1s",
			"added", "taken after 1s",
			"done after 1s", "done after 2s", "taken after 1s",
			"delayed", "delayed", "delayed", "added", "down",
		}, d.read())
	})
}

func TestObserverOfAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &journal{}
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		reconcile := func(context.Context, controller.Key) (controller.Result, error) {
			switch calls++; calls {
			case 1:
				return controller.Result{}, errors.New("not yet")
			case 2:
				return controller.Result{RequeueAfter: time.Minute}, nil
			}
			stop()
			return controller.Result{}, nil
		}
		source := func(_ context.Context, enqueue func(controller.Key), synced func()) error {
			enqueue(controller.Key{Name: "a"})
			synced()
			return nil
		}
		options := controller.Options{Name: "gears", Observer: d}
		require.NoError(t, controller.New(reconcile, options, source).Run(ctx))
		assert.Equal(t, []string{
			"observe gears",
			"added", "taken after 0s", "reconciled 0s not yet", "delayed", "done after 0s",
			"added", "taken after 0s", "reconciled 1m0s <nil>", "delayed", "done after 0s",
			"added", "taken after 0s", "reconciled 0s <nil>", "done after 0s", "down",
		}, d.read())
	})
}

// An informer in the same process reports how long after its commit a change was handled.
func TestObserverOfAnInformer(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("before", 1))
	d := &journal{lags: make(chan time.Duration, 10)}
	i := gearInformer(w, controller.InformerOptions[Gear]{Name: "gears", Observer: d})
	handled := make(chan string, 10)
	i.AddHandler(controller.Handler[Gear]{OnAdd: func(g *Gear) { handled <- g.Name },
		OnDelete: func(g *Gear) { handled <- "no " + g.Name }})
	defer run(t, i)()
	assert.Equal(t, "before", within(t, handled))
	w.create(gear("after", 1))
	assert.Equal(t, "after", within(t, handled))
	lag := within(t, d.lags)
	assert.GreaterOrEqual(t, lag, time.Duration(0))
	w.delete("after")
	assert.Equal(t, "no after", within(t, handled))
	w.create(gear("last", 1))
	within(t, d.lags)
	assert.Empty(t, d.lags, "neither the first list nor the deletion has a lag")
	assert.Equal(t, []string{"observe gears"}, d.read())
}
