package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Exchanges makes the exchanges of an API one after the other.
type Exchanges struct {
	writes *Writes
	turn   chan struct{} // holds a value during an exchange
	// leaving holds the resources that the API has given up and the store still serves, by their names in the store.
	leaving map[string]*Resource
}

// NewExchanges returns the Exchanges of the API with these writes.
func NewExchanges(writes *Writes) *Exchanges {
	return &Exchanges{writes: writes, turn: make(chan struct{}, 1), leaving: map[string]*Resource{}}
}

// Lock waits for the turn of the caller. It returns the cause of the context if that ends first.
func (all *Exchanges) Lock(ctx context.Context) error {
	select {
	case all.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Begin returns an empty exchange. The caller holds the lock.
func (all *Exchanges) Begin() *Exchange { return &Exchange{all: all} }

// Do calls exchange in its turn. If stored objects must be converted outside of the process, Prepare returns an error, and Do converts them
// and calls exchange again. It converts them between two turns, because other exchanges must not wait for a slow conversion.
func (all *Exchanges) Do(ctx context.Context, exchange func(*Exchange) error) error {
	converted := map[string]doc.Value{}
	for round := 0; ; round++ {
		if err := all.Lock(ctx); err != nil {
			return err
		}
		x := all.Begin()
		x.converted, x.patient = converted, round < patientRounds
		err := exchange(x)
		var left *unconverted
		if !errors.As(err, &left) {
			return err
		}
		if err := left.convert(ctx, converted); err != nil {
			return fmt.Errorf("kind %q: %w", left.res.GVK.Kind, err)
		}
	}
}

// Exchange is a change of what an API serves. All resources are in their stored versions. The API plans it with Take, Replace and GiveUp,
// calls Prepare, exchanges its set, and calls Complete and Unlock. When the requests to GivenUp have ended, it calls End.
type Exchange struct {
	GivenUp []*Resource

	all       *Exchanges
	converted map[string]doc.Value // see [beforehand]
	patient   bool                 // Prepare may ask for more conversions
	unlocked  bool
	taken     []*Resource
	next      []*Resource // take the place of replaced, one for one
	replaced  []*Resource
	before    []*retirement // the retirements of replaced before the exchange
}

// Unlock lets the next exchange begin. It may be called twice.
func (x *Exchange) Unlock() {
	if !x.unlocked {
		x.unlocked = true
		<-x.all.turn
	}
}

// Take plans to serve a resource. If the same resource is about to leave the store, the new one replaces it there, because requests may
// still be under way.
func (x *Exchange) Take(res *Resource) {
	if old := x.all.leaving[res.StoredName()]; old != nil {
		x.Replace(old, res)
		return
	}
	x.taken = append(x.taken, res)
}

// Replace plans to serve next instead of old. When the API gives up next, it also waits for the requests that began with old.
func (x *Exchange) Replace(old, next *Resource) {
	next.underway = old.underway
	x.replaced, x.next = append(x.replaced, old), append(x.next, next)
}

// GiveUp plans to stop serving a resource.
func (x *Exchange) GiveUp(old *Resource) { x.GivenUp = append(x.GivenUp, old) }

// Retires reports whether the exchange gives up or replaces a resource, given in any version.
func (x *Exchange) Retires(res *Resource) bool {
	return slices.Contains(x.GivenUp, res.Stored) || slices.Contains(x.replaced, res.Stored)
}

// Prepare makes the store ready for the next set: it registers the new resources, which upgrades their objects, and creates the objects
// that must exist. If Prepare fails, the API keeps its set, and the store serves for it what it served before. Prepare tries what may
// fail before it upgrades the objects of a replaced resource, because the new form may lack what the old one has.
func (x *Exchange) Prepare(ctx context.Context) error {
	if err := x.convertFirst(ctx); err != nil {
		return err
	}
	for i, next := range x.next {
		if next.Kind.Virtual {
			continue
		}
		err := x.all.writes.ensure(ctx, next, Asked{Trusted: true, Agent: selfAgent, DryRun: true})
		if err == nil && i > 0 { // the store itself checks the first one before it changes anything
			err = next.rehearse(ctx, x.replaced[i])
		}
		if err != nil {
			return err
		}
	}
	for i, res := range x.taken {
		if err := x.begin(ctx, res); err != nil {
			return errors.Join(err, x.undo(context.WithoutCancel(ctx), x.taken[:i+1]))
		}
	}
	for i, next := range x.next {
		old := x.replaced[i]
		x.before = append(x.before, old.retirement.Swap(&retirement{replaced: true, reshaped: next.fingerprint() != old.fingerprint(), decided: make(chan struct{})}))
		if err := x.begin(ctx, next); err != nil {
			return errors.Join(err, x.undo(context.WithoutCancel(ctx), x.taken))
		}
	}
	return nil
}

// rehearse returns the error with which the store would refuse to upgrade the objects of old to the form of res.
func (res *Resource) rehearse(ctx context.Context, old *Resource) error {
	if old.fingerprint() == res.fingerprint() {
		return nil
	}
	page, err := res.Store.List(ctx, storage.Query{Scope: watch.Scope{Resource: old.StoredName()}}, nil)
	if err != nil {
		return err
	}
	for _, r := range page.Records {
		if _, err := res.upgrade(r.JSON); err != nil {
			return fmt.Errorf("kind %q: %s %s/%s: %w", res.GVK.Kind, r.Key.Resource, r.Key.Namespace, r.Key.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// undo takes back the registrations of resources, and restores those that Prepare has begun to replace.
func (x *Exchange) undo(ctx context.Context, taken []*Resource) (err error) {
	for _, res := range taken {
		err = errors.Join(err, res.unregister(ctx))
	}
	for i, retirement := range x.before {
		old := x.replaced[i]
		if !old.Kind.Virtual {
			if e := old.register(ctx); e != nil {
				err = errors.Join(err, fmt.Errorf("kind %q: the old declaration cannot be restored: %w", old.GVK.Kind, e))
			}
		}
		close(old.retirement.Swap(retirement).decided)
	}
	return err
}

// Complete lets go on what waits for the next set, gives their retirement to the resources that the API has given up, and loads the reaper with
// the objects of the new ones.
func (x *Exchange) Complete() {
	for _, next := range x.next {
		next.outside.forgetBeforehand()
	}
	for _, old := range x.replaced {
		close(old.retirement.Load().decided)
		x.all.drop(old)
		delete(x.all.leaving, old.StoredName())
	}
	for _, old := range x.GivenUp {
		old.retirement.Store(&retirement{decided: decided()})
		x.all.leaving[old.StoredName()] = old
	}
	for _, res := range slices.Concat(x.taken, x.next) {
		x.all.writes.Load(res) // not before, because the reaper looks for the resource in the set
	}
}

// End makes the store stop serving the resources that the API has given up, unless the API has taken them again. The store keeps their
// objects.
func (x *Exchange) End(ctx context.Context) error {
	if len(x.GivenUp) == 0 {
		return nil
	}
	if err := x.all.Lock(ctx); err != nil {
		return err
	}
	defer func() { <-x.all.turn }()
	var errs []error
	for _, old := range x.GivenUp {
		name := old.StoredName()
		if x.all.leaving[name] != old {
			continue
		}
		delete(x.all.leaving, name)
		// A write that is still under way must not commit under a later declaration.
		old.retirement.Store(&retirement{replaced: true, decided: decided()})
		x.all.drop(old)
		errs = append(errs, old.unregister(ctx))
		x.all.writes.GiveUp(old)
	}
	return errors.Join(errs...)
}

// decided returns a closed channel, for a retirement that is already complete.
func decided() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// drop frees what the API keeps for a resource.
func (all *Exchanges) drop(res *Resource) {
	for _, version := range res.EveryVersion() {
		version.shownCache.forget(version)
	}
	all.writes.Forget(res)
}

// begin makes the store serve the resource. A virtual resource needs no store.
func (x *Exchange) begin(ctx context.Context, res *Resource) error {
	if res.Kind.Virtual {
		return nil
	}
	if err := res.register(ctx); err != nil {
		return fmt.Errorf("kind %q: %w", res.GVK.Kind, err)
	}
	return x.all.writes.ensure(ctx, res, Asked{Trusted: true, Agent: selfAgent})
}
