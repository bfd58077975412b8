package quota

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/storage"
)

// ResourceQuotas are limits that clients manage as objects of the kind [ResourceQuota], one or more in each
// namespace. A tenant who may read them sees what is used (kubectl describe quota):
//
//	quotas := quota.NewResourceQuotas(nil)
//	store := memory.New(storage.Options{Ledger: quotas.Ledger})
//	api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{quotas}}, widgets)
//	…
//	err = quotas.Run(ctx, api) // on the leader, beside the other controllers
//
// All three parts are necessary. Without the Ledger, clients can create quotas, but nothing enforces them. Without the
// plug-in, the API does not serve the kind. Without Run, the status stays empty. A host with host.Run passes Run as one
// of the Controllers:
//
//	Controllers: controller.Group{func(ctx context.Context) error { return quotas.Run(ctx, api) }},
//
// The limits are as exact as the limits of [New]. A new or changed quota counts in each replica as soon as the replica
// has seen it. Objects that exist count too, so a namespace may use more than its limit; then only deletions pass.
type ResourceQuotas struct {
	more    func(Account) []Limit
	changed chan struct{} // holds a value if stale is not empty

	mu     sync.RWMutex // guards the fields below, and writes of the ledger's counters
	ledger *ledger
	limits map[string]map[string][]Limit // the keys are the namespace and the name of a quota
	stale  map[string]bool               // the namespaces with quotas whose status may have to change
}

// NewResourceQuotas returns the limits of objects and, unless more is nil, further limits, such as those on users
// (see [New]). They belong to one store.
func NewResourceQuotas(more func(Account) []Limit) *ResourceQuotas {
	if more == nil {
		more = Fixed(nil)
	}
	return &ResourceQuotas{more: more, changed: make(chan struct{}, 1), limits: map[string]map[string][]Limit{},
		stale: map[string]bool{}}
}

// Ledger returns the ledger that counts the objects. A host sets it as storage.Options.Ledger when it opens the store.
func (q *ResourceQuotas) Ledger() storage.Ledger {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ledger = &ledger{limits: q.limitsOf, used: map[counter]usage{}}
	return objectLedger{q.ledger, q}
}

// limitsOf returns the limits of an account.
func (q *ResourceQuotas) limitsOf(account Account) (all []Limit) {
	q.mu.RLock()
	quotas := q.limits[account.Namespace]
	for _, name := range slices.Sorted(maps.Keys(quotas)) {
		all = append(all, quotas[name]...)
	}
	q.mu.RUnlock()
	return append(all, q.more(account)...)
}

// objectLedger learns the limits from the records of quotas, as the engine books them.
type objectLedger struct {
	*ledger
	quotas *ResourceQuotas
}

// Book implements [storage.Ledger].
func (l objectLedger) Book(previous, current *storage.Record) {
	q, key := l.quotas, cmp.Or(current, previous).Key
	q.mu.Lock()
	defer q.mu.Unlock()
	l.ledger.Book(previous, current)
	if key.Resource == resourceQuotas {
		q.keep(key, current)
	}
	if len(q.limits[key.Namespace]) > 0 {
		q.look(key.Namespace)
	}
}

// keep replaces the limits of a quota. current is nil if the quota is gone.
func (q *ResourceQuotas) keep(key storage.Key, current *storage.Record) {
	if current == nil {
		delete(q.limits[key.Namespace], key.Name)
		if len(q.limits[key.Namespace]) == 0 {
			delete(q.limits, key.Namespace)
		}
		return
	}
	text, err := current.JSON(context.Background()) // the engine has just read or received the record
	if err != nil {
		return
	}
	var object struct{ Spec ResourceQuotaSpec }
	if err := json.Unmarshal(text, &object); err != nil {
		return // the API refuses such an object, so the last valid limits remain
	}
	var all []Limit
	for _, name := range slices.Sorted(maps.Keys(object.Spec.Hard)) {
		if limit, ok := limitNamed(key.Name, name, object.Spec.Hard[name]); ok {
			all = append(all, limit)
		}
	}
	if q.limits[key.Namespace] == nil {
		q.limits[key.Namespace] = map[string][]Limit{}
	}
	q.limits[key.Namespace][key.Name] = all
}

// look remembers a namespace for [ResourceQuotas.Run]. The caller holds the lock.
func (q *ResourceQuotas) look(namespace string) {
	q.stale[namespace] = true
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// lookAtAll remembers all namespaces with quotas.
func (q *ResourceQuotas) lookAtAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for namespace := range q.limits {
		q.look(namespace)
	}
}

// takeStale returns the namespaces that were remembered, and forgets them.
func (q *ResourceQuotas) takeStale() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := slices.Sorted(maps.Keys(q.stale))
	clear(q.stale)
	return all
}

// statusOf returns the status that a quota should have.
func (q *ResourceQuotas) statusOf(object *ResourceQuota) ResourceQuotaStatus {
	q.mu.RLock()
	defer q.mu.RUnlock()
	s := ResourceQuotaStatus{Hard: maps.Clone(object.Spec.Hard), Used: map[string]Quantity{}}
	for name, hard := range s.Hard {
		limit, ok := limitNamed(object.Name, name, hard)
		if !ok {
			continue
		}
		used := q.ledger.used[counter{Account{Namespace: object.Namespace}, limit.Resource}]
		s.Used[name] = Count(used.objects)
		if strings.HasPrefix(name, "bytes/") {
			s.Used[name] = Count(used.bytes)
		}
	}
	return s
}
