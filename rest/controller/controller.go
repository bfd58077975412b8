package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/decorum-go/decorum/status"
)

// Reconciler brings one object closer to what is wanted of it, whatever has happened before: the object may be new,
// changed, being deleted or gone, and the call may be one too many. An error, or a panic, lets it be called again after a
// delay that grows with each failure in a row. It is never called for one key twice at a time. ctx ends with Run.
type Reconciler func(ctx context.Context, key Key) (Result, error)

// Result says when to look again. The zero value: when a source says so.
type Result struct {
	// RequeueAfter, if positive, is after how long the object is looked at again at the latest.
	RequeueAfter time.Duration
}

// Options configure a [Controller]. The zero value is the stated defaults.
type Options struct {
	// Workers is how many objects are reconciled at a time. Default: 1.
	Workers int
	// Queue says how failures are delayed, and by which clock.
	Queue QueueOptions
	// Logger is told of failures and panics of the reconciler. Conflicts, which are part of the normal course of things
	// (API conventions, Concurrency Control and Consistency), are for level Debug. Default: nothing is logged.
	Logger *slog.Logger
}

// Controller is a reconcile loop.
type Controller struct {
	reconcile Reconciler
	options   Options
	sources   []Source
}

// New returns a controller. What is wrong with its arguments, Run says.
func New(reconcile Reconciler, options Options, sources ...Source) *Controller {
	if options.Workers <= 0 {
		options.Workers = 1
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Controller{reconcile: reconcile, options: options, sources: sources}
}

// Run runs the sources, with their informers, and, when all of them have synced, reconciles what they name until ctx
// ends; then it returns nil. It waits for reconcilers that are under way, and leaves no goroutine. It returns an error
// where a source cannot go on. When it runs again it begins anew, with every object.
func (c *Controller) Run(ctx context.Context) error {
	if c.reconcile == nil || len(c.sources) == 0 {
		return errors.New("controller: needs a reconciler and a source")
	}
	host := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := NewQueue[Key](c.options.Queue)
	defer queue.ShutDown()
	var running, unsynced sync.WaitGroup
	for _, source := range c.sources {
		unsynced.Add(1)
		synced := sync.OnceFunc(unsynced.Done)
		running.Go(func() {
			defer synced() // one that has ended keeps nobody waiting
			if err := runSource(ctx, source, queue.Add, synced); err != nil {
				cancel(err)
			}
		})
	}
	unsynced.Wait()
	for range c.options.Workers {
		running.Go(func() { c.work(ctx, queue) })
	}
	running.Wait()
	if host.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

func runSource(ctx context.Context, source Source, enqueue func(Key), synced func()) (err error) {
	defer recoverAs("source", &err)
	return source(ctx, enqueue, synced)
}

func (c *Controller) work(ctx context.Context, queue *Queue[Key]) {
	for {
		key, err := queue.Get(ctx)
		if err != nil {
			return
		}
		c.process(ctx, queue, key)
	}
}

// process reconciles one object and sees to it that it is looked at again where it has to be.
func (c *Controller) process(ctx context.Context, queue *Queue[Key], key Key) {
	defer queue.Done(key)
	result, err := c.call(ctx, key)
	switch {
	case err == nil:
		queue.Forget(key)
		if result.RequeueAfter > 0 {
			queue.AddAfter(key, result.RequeueAfter)
		}
	case ctx.Err() != nil: // it was told to stop, and the next Run begins with every object
	default:
		delay := queue.AddRateLimited(key)
		level := slog.LevelError
		if status.IsConflict(err) {
			level = slog.LevelDebug
		}
		c.options.Logger.Log(ctx, level, "reconcile failed", "key", key, "failures", queue.Failures(key), "again", delay, "error", err)
	}
}

func (c *Controller) call(ctx context.Context, key Key) (_ Result, err error) {
	defer recoverAs("reconciler", &err)
	return c.reconcile(ctx, key)
}

// recoverAs turns a panic of the host's code, which runs in a goroutine of ours, into an error.
func recoverAs(where string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("controller: panic in a %s: %v\n%s", where, p, debug.Stack())
	}
}
