package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// follower tracks the state of the API and works on the objects that a change may affect.
type follower struct {
	name    string
	objects raw.Objects
	options Options
	// resources names the resources that the follower tracks. Empty means all resources.
	resources []string
	// reset discards the tracked state. apply updates it and returns the objects to work on. The follower calls them one
	// at a time, and does not call work before apply has seen the complete initial state.
	reset func()
	apply func(context.Context, raw.Changes) []storage.Key
	// work handles one object. The follower calls it again later if it returns an error, and after a notYet at the time
	// that this names. look enqueues another object.
	work func(ctx context.Context, key storage.Key, look func(storage.Key)) error
	// alongside, unless nil, runs in a goroutine beside the workers. It must return when its context ends. look enqueues
	// an object.
	alongside func(ctx context.Context, look func(storage.Key))
}

// run follows the API until the context ends, and starts over after changes were missed. If the store drops changes
// faster than the follower can list all objects, the delays between attempts grow. run returns nil when the context
// ends, and an error if the API closes first.
func (f *follower) run(ctx context.Context) error {
	const attempt = "follow"
	attempts := controller.NewQueue[string](f.options.Queue)
	defer attempts.ShutDown()
	for {
		err := f.follow(ctx, func() { attempts.Forget(attempt) })
		switch {
		case ctx.Err() != nil:
			return nil
		case !status.IsExpired(err):
			return fmt.Errorf("%s: %w", f.name, err)
		}
		delay := attempts.AddRateLimited(attempt)
		f.options.Logger.Log(ctx, slog.LevelWarn, f.name+" missed changes", "again", delay, "error", err)
		if _, err := attempts.Get(ctx); err != nil {
			return nil
		}
		attempts.Done(attempt)
	}
}

// follow works until an error ends it. It calls whole once it knows the complete state. All its goroutines end before
// it returns.
func (f *follower) follow(ctx context.Context, whole func()) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	queue := controller.NewQueue[storage.Key](f.options.Queue)
	defer func() {
		cancel()
		queue.ShutDown()
		workers.Wait()
	}()
	f.reset()
	working := false
	for changes, err := range f.objects.Follow(ctx, f.resources...) {
		if err != nil {
			return err
		}
		for _, key := range f.apply(ctx, changes) {
			queue.Add(key)
		}
		if changes.Through > 0 && !working {
			working = true
			whole()
			for range f.options.Workers {
				workers.Go(func() { f.serve(ctx, queue) })
			}
			if f.alongside != nil {
				workers.Go(func() { f.alongside(ctx, queue.Add) })
			}
		}
	}
	return ctx.Err()
}

func (f *follower) serve(ctx context.Context, queue *controller.Queue[storage.Key]) {
	for {
		key, err := queue.Get(ctx)
		if err != nil {
			return
		}
		f.process(ctx, queue, key)
	}
}

// process works on one key, and retries it after an error. Conflicts and remaining content are part of normal
// operation, so they are logged at level Debug only.
func (f *follower) process(ctx context.Context, queue *controller.Queue[storage.Key], key storage.Key) {
	defer queue.Done(key)
	err := f.safely(ctx, queue, key)
	var wait notYet
	switch {
	case err == nil:
		queue.Forget(key)
	case errors.As(err, &wait):
		queue.Forget(key)
		queue.AddAfter(key, time.Duration(wait))
	case ctx.Err() != nil:
	default:
		level := slog.LevelError
		if status.IsConflict(err) || errors.Is(err, errRemains) || errors.Is(err, errReading) {
			level = slog.LevelDebug
		}
		delay := queue.AddRateLimited(key)
		f.options.Logger.Log(ctx, level, f.name+" failed", "resource", key.Resource, "namespace", key.Namespace, "name",
			key.Name, "again", delay, "error", err)
	}
}

// safely calls work and turns a panic into an error, because the host cannot recover it in this goroutine.
func (f *follower) safely(ctx context.Context, queue *controller.Queue[storage.Key], key storage.Key) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f.work(ctx, key, queue.Add)
}
