package validate

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Options configure a [Validator]. The zero value works.
type Options struct {
	// Namespace is that of objects whose manifest names none. Default: "default".
	Namespace string
	// Header is sent with each request, for an API whose Authenticator wants credentials.
	Header http.Header
	// Changes adds a [Note] for each field that the API would store differently: defaults, values that it changes, and
	// fields that it drops.
	Changes bool
	// Keep reports whether objects of a kind must exist before others are validated, because the API looks at them.
	// Objects of the kinds CustomResourceDefinition and Namespace, policies, bindings and their parameters always do.
	Keep func(kind apimeta.GroupKind) bool
}

// Input contains the manifests that a [Validator] checks, and the objects that exist around them.
type Input struct {
	// Manifests are the objects to validate. They see each other: the kinds of their definitions are served, their
	// namespaces exist, and their policies decide about all others. Two manifests of the same object are both validated.
	Manifests []Manifest
	// Given are objects that exist, such as definitions, policies, bindings, and parameters. They have a [Result] only if
	// the API refuses them.
	Given []Manifest
	// Old are former states of objects in Manifests, which are then validated as updates. An object in Old may have all
	// that the API has set, such as a resourceVersion.
	Old []Manifest
}

// Validator asks an API in the same process whether it would accept manifests.
type Validator struct {
	api     *rest.API
	options Options
	kinds   kinds
}

// New returns a Validator that asks api. The API keeps its objects in memory, and has been started if it has plug-ins.
// It serves nobody else, and one call of Validate.
func New(api *rest.API, options Options) *Validator {
	options.Namespace = cmp.Or(options.Namespace, "default")
	return &Validator{api: api, options: options}
}

// Validate returns a result for each manifest, in their order, after those of the given objects that the API refuses.
// It returns an error if ctx ends or the API does not answer at all.
//
// Namespaces that no manifest describes are assumed to exist. Webhooks in the input are validated, and are not called.
func (v *Validator) Validate(ctx context.Context, in Input) ([]Result, error) {
	r := &run{Validator: v, in: in, old: map[key]formerState{}, stored: map[apimeta.GroupKind]string{},
		kept: map[*Manifest]*Result{}}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	results := make([]Result, len(in.Manifests))
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(in.Manifests)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(results) && failed.Load() == nil; i = next.Add(1) - 1 {
				var err error
				if results[i], err = r.judge(ctx, &in.Manifests[i]); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return slices.Concat(r.refused, results), nil
}
