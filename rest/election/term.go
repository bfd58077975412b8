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

// errLost means that the candidate lost the lease while it was leading.
var errLost = errors.New("lost the lease")

// term is the time during which a candidate leads.
type term struct {
	*candidate
	begun   time.Time // when the candidate sent the last renewal that succeeded
	expires *time.Timer
}

// serve runs lead, and renews the lease until lead has returned. If the candidate loses the lease, serve returns an
// error that wraps errLost; otherwise it returns the result of lead.
func (t *term) serve(ctx context.Context, lead func(ctx context.Context) error) error {
	leading, end := context.WithCancelCause(ctx)
	defer end(nil)
	t.expires = time.AfterFunc(t.left(),
		func() { end(fmt.Errorf("%w: the lease was not renewed for %v", errLost, t.RenewDeadline)) })
	defer t.expires.Stop()
	t.Logger.Log(ctx, slog.LevelInfo, "started leading")
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
				// The lease must not expire while lead stops after the end of ctx.
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
			t.Logger.Log(ctx, slog.LevelInfo, "stopped leading")
			t.release(context.WithoutCancel(ctx))
		}
		return err
	}
}

// left returns how long the candidate may still lead without a renewal.
func (t *term) left() time.Duration { return time.Until(t.begun.Add(t.RenewDeadline)) }

// renew renews the lease. It returns an error that wraps errLost if the candidate has lost the lease. It logs other
// failures and returns nil, because serve can try again before the renew deadline.
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
			t.expires.Stop() // the deadline has already passed
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

// reread reads the lease after a conflict. A conflict does not prove that the candidate has lost the lease: the
// candidate's own previous write may have succeeded although its response was lost, or a client outside the election
// may have changed the lease.
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

// release makes the lease free for other candidates. It stops trying at the renew deadline; the lease then expires by
// itself.
func (t *term) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, t.left())
	defer cancel()
	for {
		next := *t.seen
		now, second, nobody := apimeta.NowMicro(), int32(1), ""
		next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds, next.Spec.AcquireTime, next.Spec.RenewTime = &nobody,
			&second, &now, &now
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
			err = fmt.Errorf("election: lead panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return lead(ctx)
}
