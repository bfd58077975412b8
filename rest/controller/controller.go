package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/status"
)

// Reconciler brings one object closer to its desired state, regardless of earlier events. The object may be new,
// changed, being deleted or gone, and the call may be redundant. After an error or a panic, the controller calls it
// again, with a delay that grows with each failure in a row. The controller never runs two calls for one key at a time.
// ctx ends when the context of Run ends.
//
// If the first client call does not find the object, return nil, because there is nothing left to do. If a later call
// returns NotFound, because another client deleted the object in between, the reconciler may return that error. The
// controller then calls it again, and it finds the object gone.
type Reconciler func(ctx context.Context, key Key) (Result, error)

// Result says when to reconcile the object again. The zero value leaves that to the sources.
type Result struct {
	// RequeueAfter, if positive, is the longest delay until the controller queues the object again, behind changed
	// objects (see [Queue.AddBehind]).
	RequeueAfter time.Duration
}

// Options configure a [Controller]. The zero value means the stated defaults.
type Options struct {
	// Name names the controller to the Observer, such as "widgets". Controllers of one program need different names.
	Name string
	// Observer observes the queue and the reconciler. Default: Queue.Observer.
	Observer Observer
	// Workers is how many objects the controller reconciles at a time. Default: 1.
	Workers int
	// Queue sets the delays after failures.
	Queue QueueOptions
	// StuckAfter is how long a call of the reconciler may run before the controller logs its key and its age at level
	// Error. The controller logs both again each time the age has doubled. Default: 5 minutes; negative: never.
	StuckAfter time.Duration
	// Logger logs failures and panics of the reconciler at level Error. Two failures are part of normal operation, so the
	// controller logs them at level Debug: a conflict (API conventions, Concurrency Control and Consistency), and the
	// first NotFound error after a success, because another client can delete an object between two calls. Default: the
	// controller logs errors only, to the logger that slog.Default returns when New is called.
	Logger *slog.Logger
}

// defaultStuckAfter is the default of Options.StuckAfter.
const defaultStuckAfter = 5 * time.Minute

// Controller is a reconcile loop.
type Controller struct {
	reconcile Reconciler
	options   Options
	sources   []Source
}

// New returns a controller. Run returns the error if an argument is invalid.
func New(reconcile Reconciler, options Options, sources ...Source) *Controller {
	if options.Workers <= 0 {
		options.Workers = 1
	}
	if options.StuckAfter == 0 {
		options.StuckAfter = defaultStuckAfter
	}
	options.Logger = errorlog.Or(options.Logger)
	options.Queue.Name = cmp.Or(options.Name, options.Queue.Name)
	if options.Observer != nil {
		options.Queue.Observer = options.Observer
	}
	return &Controller{reconcile: reconcile, options: options, sources: sources}
}

// Run starts the sources with their informers. Once all of them have synced, it reconciles the objects that they name,
// until ctx ends. Then it waits for the reconcilers that are running, and returns nil without leaving a goroutine. It
// returns an error if a source cannot continue. A later Run starts over with every object.
func (c *Controller) Run(ctx context.Context) error {
	if c.reconcile == nil || len(c.sources) == 0 {
		return errors.New("controller: needs a reconciler and a source")
	}
	host := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := NewQueue[Key](c.options.Queue)
	defer queue.ShutDown()
	gate := newGate(queue)
	var running, unsynced sync.WaitGroup
	for _, source := range c.sources {
		unsynced.Add(1)
		synced := sync.OnceFunc(unsynced.Done)
		running.Go(func() {
			defer synced() // a source that has ended must not block the others
			if err := runSource(context.WithValue(ctx, gateKey{}, gate), source, queue.Add, synced); err != nil {
				cancel(err)
			}
		})
	}
	unsynced.Wait()
	for range c.options.Workers {
		running.Go(func() { c.work(ctx, queue, gate) })
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

func (c *Controller) work(ctx context.Context, queue *Queue[Key], gate *gate) {
	for {
		key, err := queue.Get(ctx)
		if err != nil {
			return
		}
		if gate.holds(key) {
			queue.Done(key)
			continue
		}
		c.process(ctx, queue, key)
	}
}

// process reconciles one object, and requeues it if necessary.
func (c *Controller) process(ctx context.Context, queue *Queue[Key], key Key) {
	defer queue.Done(key)
	result, err := c.call(ctx, key)
	queue.noteReconciled(result, err)
	switch {
	case err == nil:
		queue.Forget(key)
		if result.RequeueAfter > 0 {
			queue.AddBehindAfter(key, result.RequeueAfter)
		}
	case ctx.Err() != nil: // the controller is stopping, and the next Run starts with every object
	default:
		delay := queue.AddRateLimited(key)
		failures := queue.Failures(key)
		level := slog.LevelError
		if status.IsConflict(err) || status.IsNotFound(err) && failures == 1 {
			level = slog.LevelDebug
		}
		c.options.Logger.Log(ctx, level, "reconcile failed", "key", key, "failures", failures, "again", delay, "error", err)
	}
}

func (c *Controller) call(ctx context.Context, key Key) (_ Result, err error) {
	defer c.reportStuck(ctx, key)()
	defer recoverAs("reconciler", &err)
	return c.reconcile(ctx, key)
}

// recoverAs turns a panic into an error. The host's code runs in our goroutines, where the host could not recover it.
func recoverAs(where string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("controller: panic in a %s: %v\n%s", where, p, debug.Stack())
	}
}
