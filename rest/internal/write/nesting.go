package write

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// maxNesting limits how deep writes may nest, each made by a hook of the one outside.
const maxNesting = 100

// nestedWrite is a write in progress. The contexts of its hooks carry it, so that a write by a hook is known to be
// nested in it. Without this, a hook that writes its own object would run for its own writes forever.
type nestedWrite struct {
	env      *resource.Environment // a hook may also write to another API
	key      storage.Key           // the name is empty if the server generates it
	outer    *nestedWrite
	depth    int
	warnings *Warnings
	dryRun   bool
	// again counts the writes by hooks to the same object, within the outermost write of it.
	again *atomic.Int32
}

// HookAuthorizer returns the Authorizer of the API that runs the hook. [access.AuthorizerFrom] calls it.
func (w *nestedWrite) HookAuthorizer() access.Authorizer { return w.env.HookAuthorizer() }

// nestedIn returns the write whose hook has this context. It returns nil outside of hooks.
func nestedIn(ctx context.Context) *nestedWrite {
	w, _ := ctx.Value(keys.Write{}).(*nestedWrite)
	return w
}

// In returns a context for hooks that run in an environment and outside of a write. [EnvironmentOf] finds the
// environment in it.
func In(ctx context.Context, env *resource.Environment) context.Context {
	return context.WithValue(ctx, keys.Environment{}, env)
}

// EnvironmentOf returns the environment of the hook that has this context, or nil.
func EnvironmentOf(ctx context.Context) *resource.Environment {
	if w := nestedIn(ctx); w != nil {
		return w.env
	}
	env, _ := ctx.Value(keys.Environment{}).(*resource.Environment)
	return env
}

// Warn adds a warning to the answer of the write whose hook has this context. With any other context it does nothing
// and returns false.
func Warn(ctx context.Context, text string) (inWrite bool) {
	w := nestedIn(ctx)
	if w != nil {
		w.warnings.add(text)
	}
	return w != nil
}

// IsDryRun reports whether the write whose hook has this context is a dry run.
func IsDryRun(ctx context.Context) bool {
	w := nestedIn(ctx)
	return w != nil && w.dryRun
}

// InHook reports whether the context belongs to a hook of a write in this environment.
func InHook(ctx context.Context, env *resource.Environment) bool {
	for w := nestedIn(ctx); w != nil; w = w.outer {
		if w.env == env {
			return true
		}
	}
	return false
}

// nest returns a context for the write's hooks that carries the write. It refuses a write if hooks have nested writes
// too deep, or have written the same object too often.
func (w *Write) nest(ctx context.Context) (context.Context, error) {
	n := &nestedWrite{
		env: w.res.Environment, warnings: w.Warnings, key: w.res.Key(w.Namespace, w.Name), again: new(atomic.Int32),
		outer: nestedIn(ctx),
	}
	if n.outer != nil {
		n.depth = n.outer.depth + 1
	}
	for outer := n.outer; outer != nil && w.Name != ""; outer = outer.outer {
		if outer.env == n.env && outer.key == n.key {
			n.again = outer.again
			if n.again.Add(1) >= storage.MaxAttempts {
				return nil, status.Conflict(w.res.GR, w.Name, fmt.Sprintf(
					"a hook that runs when the object is written has written it %d times itself", storage.MaxAttempts-1))
			}
			break
		}
	}
	if n.depth >= maxNesting {
		return nil, status.Conflict(w.res.GR, w.Name,
			fmt.Sprintf("%d writes are nested, each made by a hook of the one before", maxNesting))
	}
	if w.observer = steps.ObserverOf(ctx); w.observer != nil {
		if w.times, w.reports = w.observer.Pipeline(); n.outer != nil {
			w.times = nil // the step whose hook has made the write contains its time
		}
	}
	if err := w.join(ctx); err != nil {
		return nil, err
	}
	n.dryRun = w.Asked.DryRun
	return context.WithValue(ctx, keys.Write{}, n), nil
}
