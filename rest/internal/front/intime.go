package front

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// patience is how long a hook may go on after the time of its request is up, before the client gets its answer without
// it.
const patience = time.Second

// errExited is the error of a hook that ends its goroutine.
var errExited = errors.New("a hook has called runtime.Goexit")

// inTime runs do, in which hooks of the host may run. It waits until the time of the request is up, and for patience
// after that. A hook that ignores the end of its context would keep the client waiting. So do runs in its own
// goroutine. The request then abandons this goroutine, which closes the unneeded result. If no hook can run, do runs in
// the goroutine of the request.
func inTime[T any](ctx context.Context, q *request, do func(context.Context) (T, error)) (none T, err error) {
	if !q.api.writes.MayRunHooks(q.res.Resource, q.through.target()) {
		return do(ctx)
	}
	result := new(T) // an abandoned goroutine still writes it
	ended, err := q.apart(ctx, func(ctx context.Context) (err error) {
		*result, err = do(ctx)
		return err
	}, func() {
		if unused, ok := any(*result).(interface{ Close() }); ok {
			unused.Close()
		}
	})
	if !ended {
		return none, context.DeadlineExceeded
	}
	return *result, err
}

// apart runs do in its own goroutine, and reports whether it ended in time. If it ends later without an error, the
// goroutine calls unneeded. The function has no type parameter, so that the program contains it once.
func (q *request) apart(ctx context.Context, do func(context.Context) error, unneeded func()) (inTime bool, err error) {
	running, ended, left := new(resource.Running), make(chan error), make(chan func(), 1)
	go func() {
		reserveStack(0)
		err := errExited
		defer func() {
			if p := recover(); p != nil {
				err = &resource.PanicError{Where: "a request", Value: p, Stack: debug.Stack()}
			}
			select {
			case ended <- err:
			case returned := <-left:
				if err == nil {
					unneeded()
				}
				returned()
			}
		}()
		err = do(running.In(ctx))
	}()
	deadline, _ := ctx.Deadline()
	late := time.NewTimer(time.Until(deadline) + patience)
	defer late.Stop()
	select {
	case err := <-ended:
		return true, err
	case <-late.C:
	}
	left <- q.abandon(running.Hook())
	return false, nil
}

// reserveStack grows the stack of a new goroutine to the size that most writes need, while the stack is still nearly
// empty. Otherwise the runtime doubles and copies the stack several times while the write runs.
//
//go:noinline
func reserveStack(i int) byte {
	var room [12 << 10]byte
	return room[i]
}

// abandon leaves a hook behind that has not returned in time, and gives the place of the request to others. hook is nil
// if the time is spent outside of hooks, such as in the store. The hook's goroutine calls the returned function at its
// end, and keeps q. So another request answers the client.
func (q *request) abandon(hook *resource.RunningHook) (returned func()) {
	a := q.api
	q.heir = &request{api: a, r: q.r, asked: q.asked, observed: q.observed,
		answer: answer{w: q.w, auditID: q.auditID, logged: true}}
	q.writeTo(nil)
	stuck := a.flights.Abandon(&q.flight)
	if hook == nil {
		hook = &resource.RunningHook{Since: time.Now()}
	}
	at := q.Question()
	attrs := []slog.Attr{slog.String("user", access.UserFrom(q.r.Context()).Name), slog.String("verb", string(at.Verb)),
		slog.String("resource", q.res.GR.String()), slog.String("subresource", at.Subresource),
		slog.String("namespace", at.Namespace), slog.String("name", at.Name),
		slog.String("hook", hook.Name), slog.String("auditID", q.auditID[0])}
	log := func(level slog.Level, message string, stuck int) {
		a.options.Logger.LogAttrs(context.WithoutCancel(q.r.Context()), level, message,
			append(attrs, slog.Duration("duration", time.Since(hook.Since)), slog.Int("stuck", stuck))...)
	}
	log(slog.LevelError, "a hook ignores that its time is up, and the client has been answered without it", stuck)
	return func() {
		log(slog.LevelInfo, "a hook has returned whose time was up", a.flights.Leave(&q.flight))
	}
}
