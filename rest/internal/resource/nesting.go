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
	env   *Environment // of the API; a hook may write to another one, too
	key   storage.Key  // without a name for an object whose name is generated
	outer *nestedWrite
	depth int
	// again counts the writes of the same object that hooks have made within the outermost write of it.
	again *atomic.Int32
}

type nestedWriteKey struct{}

// nestedIn is the write whose hook has this context; nil outside of hooks.
func nestedIn(ctx context.Context) *nestedWrite {
	w, _ := ctx.Value(nestedWriteKey{}).(*nestedWrite)
	return w
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

// nest notes in the context of a write's hooks that the write is under way. It refuses a write that hooks have nested too
// often.
func (res *Resource) nest(ctx context.Context, namespace, name string, o *WriteOptions) (context.Context, error) {
	if o.nested {
		return ctx, nil
	}
	o.nested = true
	w := &nestedWrite{env: res.Environment, key: res.key(namespace, name), again: new(atomic.Int32), outer: nestedIn(ctx)}
	if w.outer != nil {
		w.depth = w.outer.depth + 1
	}
	for outer := w.outer; outer != nil && name != ""; outer = outer.outer {
		if outer.env == w.env && outer.key == w.key {
			w.again = outer.again
			if w.again.Add(1) >= storage.MaxAttempts {
				return nil, status.Conflict(res.GR, name, fmt.Sprintf("a hook that runs when the object is written has written it %d times itself", storage.MaxAttempts-1))
			}
			break
		}
	}
	if w.depth >= maxNesting {
		return nil, status.Conflict(res.GR, name, fmt.Sprintf("%d writes are nested, each made by a hook of the one before", maxNesting))
	}
	return context.WithValue(ctx, nestedWriteKey{}, w), nil
}
