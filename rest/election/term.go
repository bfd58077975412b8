package election

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// errLost says why a term ended early.
var errLost = errors.New("the candidate leads no more")

// term is the time for which a candidate leads.
type term struct {
	*candidate
	begun   time.Time // when the candidate sent the last renewal that succeeded
	expires *time.Timer
}

// serve runs lead, and renews the lease until lead has returned. It returns an error that wraps errLost if the lease was lost, and otherwise
// what lead returned.
func (t *term) serve(ctx context.Context, lead func(ctx context.Context) error) error {
	leading, end := context.WithCancelCause(ctx)
	defer end(nil)
	t.expires = time.AfterFunc(t.left(), func() { end(fmt.Errorf("%w: the lease was not renewed for %v", errLost, t.RenewDeadline)) })
	defer t.expires.Stop()
	t.Logger.Log(ctx, slog.LevelInfo, "began to lead")
	returned := make(chan error, 1)
	go func() { returned <- safely(leading, lead) }()

	ticks := time.NewTicker(t.RetryPeriod)
	defer ticks.Stop()
	var lost error
	for {
		var err error
		select {
		case <-ticks.C:
			if cause := context.Cause(leading); lost == nil && !errors.Is(cause, errLost) {
				// While lead stops because ctx has ended, nobody else may lead.
				if lost = t.renew(context.WithoutCancel(ctx)); lost != nil {
					end(lost)
				}
			}
			continue
		case err = <-returned:
		}
		cause := context.Cause(leading)
		switch {
		case errors.Is(cause, errLost):
			return errors.Join(cause, err)
		case lost == nil:
			t.Logger.Log(ctx, slog.LevelInfo, "stops leading")
			t.release(context.WithoutCancel(ctx))
		}
		return err
	}
}

// left returns how long the candidate may lead without another renewal.
func (t *term) left() time.Duration { return time.Until(t.begun.Add(t.RenewDeadline)) }

// renew renews the lease. It returns an error that wraps errLost if the lease is lost. After other failures, there is time for another
// attempt until the lease expires.
func (t *term) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, t.left())
	defer cancel()
	begun, err := t.write(ctx, t.seen)
	if status.IsConflict(err) {
		if err = t.reread(ctx); err == nil {
			begun, err = t.write(ctx, t.seen)
		}
	}
	switch {
	case err == nil:
		t.begun = begun
		if !t.expires.Reset(t.left()) {
			t.expires.Stop() // too late
		}
	case errors.Is(err, errLost):
		return err
	case status.IsNotFound(err):
		return fmt.Errorf("%w: the lease was deleted", errLost)
	default:
		t.Logger.Log(ctx, slog.LevelError, "cannot renew the lease", "error", err)
	}
	return nil
}

// reread reads the lease after a conflict. It may have been changed by the candidate's own write whose answer was lost, or by a client that
// does not take part in the election.
func (t *term) reread(ctx context.Context) error {
	lease, err := t.Client.Get(ctx, t.Name)
	if err != nil {
		return err
	}
	t.observe(lease)
	if holder := holderOf(lease); holder != t.Identity {
		return fmt.Errorf("%w: %q holds the lease", errLost, holder)
	}
	return nil
}

// release gives the lease to whoever wants it. It tries for at most the rest of the time for which the candidate may lead; then the lease
// expires by itself.
func (t *term) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, t.left())
	defer cancel()
	for {
		next := *t.seen
		now, second, nobody := apimeta.NowMicro(), int32(1), ""
		next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds, next.Spec.AcquireTime, next.Spec.RenewTime = &nobody, &second, &now, &now
		written, err := t.Client.Update(ctx, &next)
		if err == nil {
			t.observe(written)
			return
		}
		if status.IsConflict(err) {
			err = t.reread(ctx)
		}
		switch {
		case err == nil:
		case errors.Is(err, errLost) || status.IsNotFound(err):
			return
		default:
			t.Logger.Log(ctx, slog.LevelError, "cannot release the lease", "error", err)
			return
		}
	}
}

// safely calls lead and turns a panic into an error, because the host cannot recover it in this goroutine.
func safely(ctx context.Context, lead func(ctx context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("election: lead has panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return lead(ctx)
}
