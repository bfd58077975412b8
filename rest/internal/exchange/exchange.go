package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// Exchanges makes the exchanges of an API one after the other.
type Exchanges struct {
	writes *write.Writes
	turn   chan struct{} // holds a value during an exchange
	// leaving holds the resources that the API has given up and the store still serves, by their names in the store.
	leaving map[string]*resource.Resource
}

// NewExchanges returns the Exchanges of the API with these writes.
func NewExchanges(writes *write.Writes) *Exchanges {
	return &Exchanges{writes: writes, turn: make(chan struct{}, 1), leaving: map[string]*resource.Resource{}}
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

// Do calls exchange in its turn. If stored objects must be converted outside of the process, Prepare returns an error,
// and Do converts them and calls exchange again. It converts them between two turns, because other exchanges must not
// wait for a slow conversion.
func (all *Exchanges) Do(ctx context.Context, exchange func(*Exchange) error) error {
	converted := resource.Converted{}
	for round := 0; ; round++ {
		if err := all.Lock(ctx); err != nil {
			return err
		}
		x := all.Begin()
		x.converted, x.patient = converted, round < patientRounds
		err := exchange(x)
		left, ok := errors.AsType[*resource.Unconverted](err)
		if !ok {
			return err
		}
		if err := left.Convert(ctx, converted); err != nil {
			return err
		}
	}
}

// patientRounds is how often an exchange lets objects be converted that clients have written during the conversion of
// the others.
const patientRounds = 8

// Exchange is a change of what an API serves. All resources are in their stored versions. The API plans it with Take,
// Replace and GiveUp, calls Prepare, exchanges its set, and calls Complete and Unlock. When the requests to GivenUp
// have ended, it calls End.
type Exchange struct {
	GivenUp []*resource.Resource

	all       *Exchanges
	converted resource.Converted
	patient   bool // Prepare may ask for more conversions
	unlocked  bool
	taken     []*resource.Resource
	next      []*resource.Resource // take the place of replaced, one for one
	replaced  []*resource.Resource
	before    []*resource.Retirement // the retirements of replaced before the exchange
}

// Unlock lets the next exchange begin. It may be called twice.
func (x *Exchange) Unlock() {
	if !x.unlocked {
		x.unlocked = true
		<-x.all.turn
	}
}

// Take plans to serve a resource. If the same resource is about to leave the store, the new one replaces it there,
// because requests may still be under way.
func (x *Exchange) Take(res *resource.Resource) {
	if old := x.all.leaving[res.StoredName()]; old != nil {
		x.Replace(old, res)
		return
	}
	x.taken = append(x.taken, res)
}

// Replace plans to serve next instead of old. When the API gives up next, it also waits for the requests that began
// with old.
func (x *Exchange) Replace(old, next *resource.Resource) {
	next.ContinueFrom(old)
	x.replaced, x.next = append(x.replaced, old), append(x.next, next)
}

// GiveUp plans to stop serving a resource.
func (x *Exchange) GiveUp(old *resource.Resource) { x.GivenUp = append(x.GivenUp, old) }

// Retires reports whether the exchange gives up or replaces a resource, given in any version.
func (x *Exchange) Retires(res *resource.Resource) bool {
	return slices.Contains(x.GivenUp, res.Stored) || slices.Contains(x.replaced, res.Stored)
}

// Prepare makes the store ready for the next set: it registers the new resources, which upgrades their objects, and
// creates the objects that must exist. If Prepare fails, the API keeps its set, and the store serves for it what it
// served before. Prepare tries what may fail before it upgrades the objects of a replaced resource, because the new
// form may lack what the old one has.
func (x *Exchange) Prepare(ctx context.Context) error {
	for i, next := range x.next {
		if err := next.TakeConverted(ctx, x.replaced[i], x.converted, x.patient); err != nil {
			return err
		}
	}
	for i, next := range x.next {
		if next.Kind.Virtual {
			continue
		}
		err := x.all.ensure(ctx, next, write.Asked{Trusted: true, Agent: selfAgent, DryRun: true})
		if err == nil && i > 0 { // the store itself checks the first one before it changes anything
			err = next.Rehearse(ctx, x.replaced[i])
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
		x.before = append(x.before, old.Replace(next))
		if err := x.begin(ctx, next); err != nil {
			return errors.Join(err, x.undo(context.WithoutCancel(ctx), x.taken))
		}
	}
	return nil
}

// undo takes back the registrations of resources, and restores those that Prepare has begun to replace.
func (x *Exchange) undo(ctx context.Context, taken []*resource.Resource) (err error) {
	for _, res := range taken {
		err = errors.Join(err, res.Unregister(ctx))
	}
	for i, before := range x.before {
		old := x.replaced[i]
		if !old.Kind.Virtual {
			if e := old.Register(ctx); e != nil {
				err = errors.Join(err, fmt.Errorf("kind %q: the old declaration cannot be restored: %w", old.GVK.Kind, e))
			}
		}
		old.Restore(before)
	}
	return err
}

// Complete lets go on what waits for the next set, gives their retirement to the resources that the API has given up,
// and loads the reaper with the objects of the new ones.
func (x *Exchange) Complete() {
	for _, next := range x.next {
		next.ForgetConverted()
	}
	for _, old := range x.replaced {
		old.Decide()
		x.all.drop(old)
		delete(x.all.leaving, old.StoredName())
	}
	for _, old := range x.GivenUp {
		old.GiveUp()
		x.all.leaving[old.StoredName()] = old
	}
	for _, res := range slices.Concat(x.taken, x.next) {
		x.all.writes.Load(res) // not before, because the reaper looks for the resource in the set
	}
}

// End makes the store stop serving the resources that the API has given up, unless the API has taken them again. The
// store keeps their objects.
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
		old.End()
		x.all.drop(old)
		errs = append(errs, old.Unregister(ctx))
		x.all.writes.GiveUp(old)
	}
	return errors.Join(errs...)
}

// drop frees what the API keeps for a resource.
func (all *Exchanges) drop(res *resource.Resource) {
	res.Forget()
	all.writes.Forget(res)
}

// begin makes the store serve the resource. A virtual resource needs no store.
func (x *Exchange) begin(ctx context.Context, res *resource.Resource) error {
	if res.Kind.Virtual {
		return nil
	}
	if err := res.Register(ctx); err != nil {
		return fmt.Errorf("kind %q: %w", res.GVK.Kind, err)
	}
	return x.all.ensure(ctx, res, write.Asked{Trusted: true, Agent: selfAgent})
}
