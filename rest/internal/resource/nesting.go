package resource

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// maxNesting is how many writes may be under way within one another, each made by a hook of the one before.
const maxNesting = 100

// nestedWrite is a write that is under way. The contexts of its hooks carry it, so that a write that a hook makes is known to
// be nested in it: a hook that writes its own object would otherwise run for its own writes without end.
type nestedWrite struct {
	env      *Environment // of the API; a hook may write to another one, too
	key      storage.Key  // without a name for an object whose name is generated
	outer    *nestedWrite
	depth    int
	warnings *Warnings
	// again counts the writes of the same object that hooks have made within the outermost write of it.
	again *atomic.Int32
}

type nestedWriteKey struct{}

// nestedIn is the write whose hook has this context; nil outside of hooks.
func nestedIn(ctx context.Context) *nestedWrite {
	w, _ := ctx.Value(nestedWriteKey{}).(*nestedWrite)
	return w
}

type environmentKey struct{}

// In returns a context for hooks that do not belong to a write. [EnvironmentOf] finds the environment in it.
func (env *Environment) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, environmentKey{}, env)
}

// EnvironmentOf returns the environment whose hook got this context, or nil.
func EnvironmentOf(ctx context.Context) *Environment {
	if w := nestedIn(ctx); w != nil {
		return w.env
	}
	env, _ := ctx.Value(environmentKey{}).(*Environment)
	return env
}

// Warn warns the client of the write whose hook got this context. Outside of such a hook nobody hears it.
func Warn(ctx context.Context, text string) {
	if w := nestedIn(ctx); w != nil {
		w.warnings.add(text)
	}
}

// InHook reports whether a context is that of a hook of a write to one of the resources.
func (env *Environment) InHook(ctx context.Context) bool {
	for w := nestedIn(ctx); w != nil; w = w.outer {
		if w.env == env {
			return true
		}
	}
	return false
}

// nest notes in the context of the write's hooks that the write is under way. It refuses a write that hooks have nested too
// often.
func (w *Write) nest(ctx context.Context) (context.Context, error) {
	n := &nestedWrite{env: w.res.Environment, warnings: w.Warnings, key: w.res.key(w.Namespace, w.Name), again: new(atomic.Int32), outer: nestedIn(ctx)}
	if n.outer != nil {
		n.depth = n.outer.depth + 1
	}
	for outer := n.outer; outer != nil && w.Name != ""; outer = outer.outer {
		if outer.env == n.env && outer.key == n.key {
			n.again = outer.again
			if n.again.Add(1) >= storage.MaxAttempts {
				return nil, status.Conflict(w.res.GR, w.Name, fmt.Sprintf("a hook that runs when the object is written has written it %d times itself", storage.MaxAttempts-1))
			}
			break
		}
	}
	if n.depth >= maxNesting {
		return nil, status.Conflict(w.res.GR, w.Name, fmt.Sprintf("%d writes are nested, each made by a hook of the one before", maxNesting))
	}
	return context.WithValue(ctx, nestedWriteKey{}, n), nil
}
