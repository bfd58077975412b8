package kinds

import (
	"context"
	"iter"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// pool gives each value of a range to one Service at a time: a cluster IP or a node port. The Services in the store are
// the truth.
//
// taken remembers which Service took a value last. The pool trusts an entry while the write that took the value is
// under way. Afterwards it asks the store whether the Service has the value, because the write may have failed, and the
// Service may have lost the value or may be gone. So nothing has to be released. A dry run learns what it would get,
// and takes nothing. The pool knows the writes of one API, so no other API may write to the store.
type pool[V comparable] struct {
	// of returns the values of a Service.
	of func(*corev1.Service) []V
	// reserved, unless nil, reports whether no Service may have a value.
	reserved func(ctx context.Context, v V) (bool, error)

	mu    sync.Mutex
	taken map[V]claim // nil until the Services of the store have been read
}

// claim is the entry of a value that a Service has taken.
type claim struct {
	by types.NamespacedName
	// underway says that the write that took the value may not have ended. write is closed when it has.
	underway bool
	write    <-chan struct{}
}

// settled reports whether the store knows if the Service has the value.
func (c claim) settled() bool {
	if !c.underway {
		return true
	}
	select {
	case <-c.write:
		return true
	default:
		return false
	}
}

// take takes a value for a Service during a write. It reports false if another Service has the value.
func (p *pool[V]) take(ctx context.Context, v V, by types.NamespacedName) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(ctx); err != nil {
		return false, err
	}
	return p.try(ctx, v, by)
}

// takeAny takes the first of the candidates that no other Service has. It reports false if all are taken.
func (p *pool[V]) takeAny(ctx context.Context, candidates iter.Seq[V],
	by types.NamespacedName) (v V, ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(ctx); err != nil {
		return v, false, err
	}
	for v := range candidates {
		if ok, err := p.try(ctx, v, by); ok || err != nil {
			return v, ok, err
		}
	}
	return v, false, nil
}

// confirm notes that the store contains a Service with its values.
func (p *pool[V]) confirm(s *corev1.Service) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.of(s) {
		if c, ok := p.taken[v]; ok && c.by == nameOf(s) {
			p.taken[v] = claim{by: c.by}
		}
	}
}

// load reads the Services of the store once.
func (p *pool[V]) load(ctx context.Context) error {
	if p.taken != nil {
		return nil
	}
	services, err := rest.ClientForHook[corev1.Service](ctx)
	if err != nil {
		return err
	}
	taken := map[V]claim{}
	for s, err := range services.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return err
		}
		for _, v := range p.of(s) {
			taken[v] = claim{by: nameOf(s)}
		}
	}
	p.taken = taken
	return nil
}

func (p *pool[V]) try(ctx context.Context, v V, by types.NamespacedName) (bool, error) {
	if c, ok := p.taken[v]; ok && c.by != by {
		held, err := p.holds(ctx, c, v)
		if held || err != nil {
			return false, err
		}
	}
	if p.reserved != nil {
		if reserved, err := p.reserved(ctx, v); reserved || err != nil {
			return false, err
		}
	}
	if !rest.IsDryRun(ctx) {
		p.taken[v] = claim{by: by, underway: true, write: ctx.Done()}
	}
	return true, nil
}

// holds reports whether the Service of a claim has the value, or may still get it.
func (p *pool[V]) holds(ctx context.Context, c claim, v V) (bool, error) {
	if !c.settled() {
		return true, nil
	}
	if c.by.Name == "" { // a Service without a name was refused
		return false, nil
	}
	services, err := rest.ClientForHook[corev1.Service](ctx)
	if err != nil {
		return false, err
	}
	s, err := services.Namespace(c.by.Namespace).Get(ctx, c.by.Name)
	if status.IsNotFound(err) {
		return false, nil
	}
	return err == nil && slices.Contains(p.of(s), v), err
}

func nameOf(s *corev1.Service) types.NamespacedName {
	return types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
}
