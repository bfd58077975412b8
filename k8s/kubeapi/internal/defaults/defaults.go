package defaults

import (
	"reflect"
	"slices"
	"sync"
)

// Defaults are the defaults of the kind T. They are safe for concurrent use.
type Defaults[T any] struct{ plan *node }

// Of returns the defaults of the kind T, a struct of k8s.io/api.
func Of[T any]() Defaults[T] { return Defaults[T]{plans().of(reflect.TypeFor[T]())} }

// Set fills in what the client has left out. It changes no value that is set, and a second call changes nothing.
func (d Defaults[T]) Set(obj *T) { d.plan.walk(reflect.ValueOf(obj).Elem(), filling) }

// Canonicalize rewrites the values that Kubernetes stores in another form than the client may send. It expects an
// object with defaults. A second call changes nothing.
func (d Defaults[T]) Canonicalize(obj *T) { d.plan.walk(reflect.ValueOf(obj).Elem(), rewriting) }

// plans returns the plans of all kinds in the process.
var plans = sync.OnceValue(func() *planner {
	return newPlanner(slices.Concat(core(), pods(), volumes(), services(), apps(), batch(), autoscaling(), networking(),
		storage(), resources(), admission(), flowcontrol(), cluster()))
})
