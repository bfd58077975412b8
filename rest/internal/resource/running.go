package resource

import (
	"context"
	"sync/atomic"
	"time"
)

// Running knows which hook of the host a request runs at present. The contexts of its hooks carry it. A hook that calls
// the API may run other hooks inside; the innermost is the one that counts.
type Running struct{ hook atomic.Pointer[RunningHook] }

// RunningHook is a hook that has begun and not ended.
type RunningHook struct {
	Name  string
	Since time.Time
	outer *RunningHook
}

type runningKey struct{}

// In returns a context for hooks that r follows.
func (r *Running) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, runningKey{}, r)
}

// Hook returns the hook that runs, or nil.
func (r *Running) Hook() *RunningHook { return r.hook.Load() }

// HookCall is one call of a hook of the host.
type HookCall struct {
	name string
	in   *Running     // nil if nobody follows the hook
	hook *RunningHook // nil if nobody follows it
}

// EnterHook says that a hook with this context begins. The caller defers [HookCall.Leave].
func EnterHook(ctx context.Context, name string) HookCall {
	in, _ := ctx.Value(runningKey{}).(*Running)
	if in == nil {
		return HookCall{name: name}
	}
	c := HookCall{name, in, &RunningHook{name, time.Now(), in.Hook()}}
	in.hook.Store(c.hook)
	return c
}

// Leave says that the hook has ended, and turns its panic into an error, as [RecoverHook] does.
func (c HookCall) Leave(err *error) {
	if p := recover(); p != nil {
		*err = panicked(c.name, p)
	}
	if c.in != nil {
		c.in.hook.Store(c.hook.outer)
	}
}
