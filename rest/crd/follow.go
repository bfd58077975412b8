package crd

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// change is what feed passes on: one changed definition, or all definitions.
type change struct {
	definition *apiextensions.CustomResourceDefinition
	deleted    bool
	all        []*apiextensions.CustomResourceDefinition
	revision   watch.Revision // the revision of the change or the list
}

// feed passes on the changes of definitions after a revision until ctx ends or the API closes. If the API stops
// reporting them, feed lists the definitions.
func (k *kinds) feed(ctx context.Context, from watch.Revision) {
	for failures := 0; ; failures++ {
		err := k.followFrom(ctx, from, &failures)
		if ctx.Err() != nil || errors.Is(err, watch.ErrClosed) {
			return
		}
		k.options.Logger.Error("crd: the API no longer follows its definitions, and begins again", "error", err)
		select {
		case <-time.After(delayAfter(failures)):
		case <-ctx.Done():
			return
		}
		if all, since, err := k.list(ctx); err == nil {
			from = since
			k.pass(ctx, change{all: withoutCompiled(all), revision: since})
		}
	}
}

func (k *kinds) followFrom(ctx context.Context, from watch.Revision, failures *int) error {
	cursor, err := k.api.Objects().Watch(ctx, resourceName, from)
	if err != nil {
		return err
	}
	defer cursor.Close()
	var changes []*watch.Change[storage.Record]
	for {
		if changes, err = cursor.Next(ctx, changes[:0]); err != nil {
			return err
		}
		*failures = 0
		for _, c := range changes {
			next := change{deleted: c.Current == nil, revision: c.Revision}
			if next.definition, err = read(ctx, cmp.Or(c.Current, c.Previous)); err != nil {
				return err
			}
			if isCompiled(next.definition) {
				continue
			}
			if !next.deleted {
				k.expected.add(next.definition)
			}
			k.pass(ctx, next)
		}
	}
}

func (k *kinds) pass(ctx context.Context, c change) {
	select {
	case k.changes <- c:
	case <-ctx.Done():
	}
}

// run applies the changes of definitions, and repeats what has failed, until ctx ends.
func (k *kinds) run(ctx context.Context) {
	for ; ctx.Err() == nil; k.reportProgress() {
		select {
		case <-k.peersChanged:
			k.peersChanged = nil
			for _, d := range k.definitions {
				if _, waits := k.installing[d.UID]; waits {
					k.settle(ctx, d)
				}
			}
		case c := <-k.changes:
			k.take(ctx, c)
		case f := <-k.turns:
			f()
		case <-k.retries.next():
			for _, name := range k.retries.take() {
				if d := k.definitions[name]; d != nil {
					k.settle(ctx, d)
				}
			}
		case <-ctx.Done():
		}
	}
}

// inTurn makes run call a function, and returns when it has.
func (k *kinds) inTurn(ctx context.Context, f func() error) (err error) {
	called := make(chan struct{})
	select {
	case k.turns <- func() { err = f(); close(called) }:
		<-called
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *kinds) take(ctx context.Context, c change) {
	k.applied = max(k.applied, c.revision)
	switch {
	case c.definition == nil:
		k.reset(ctx, c.all)
	case c.deleted:
		if d := k.definitions[c.definition.Name]; d != nil {
			k.forget(ctx, d)
		}
	default:
		k.settle(ctx, k.note(c.definition))
	}
}

// reset applies all definitions in the order of their last writes, so that all replicas agree which came first.
func (k *kinds) reset(ctx context.Context, all []*apiextensions.CustomResourceDefinition) {
	slices.SortFunc(all, func(a, b *apiextensions.CustomResourceDefinition) int {
		return cmp.Or(cmp.Compare(len(a.ResourceVersion), len(b.ResourceVersion)),
			cmp.Compare(a.ResourceVersion, b.ResourceVersion))
	})
	present := map[string]bool{}
	for _, d := range all {
		present[d.UID] = true
	}
	for _, d := range k.definitions {
		if !present[d.UID] {
			k.forget(ctx, d)
		}
	}
	for _, d := range all {
		k.note(d)
	}
	k.expected.add(all...)
	k.serveTogether(ctx, all)
	for _, d := range all {
		k.settle(ctx, k.definitions[d.Name])
	}
}

// note records the state of a definition.
func (k *kinds) note(stored *apiextensions.CustomResourceDefinition) *definition {
	d := &definition{CustomResourceDefinition: stored, granted: stored.Status.AcceptedNames}
	k.definitions[stored.Name] = d
	return d
}

// settle applies a definition, and those that were waiting for the names that it gives up.
func (k *kinds) settle(ctx context.Context, d *definition) {
	if k.apply(ctx, d) {
		k.settleWaiting(ctx, d.Spec.Group)
	}
}

// settleWaiting applies the definitions of a group that lack names, the oldest first, until no definition gives up a
// name.
func (k *kinds) settleWaiting(ctx context.Context, group string) {
	for again := true; again; {
		again = false
		for _, d := range slices.SortedFunc(maps.Values(k.definitions), older) {
			if d.Spec.Group == group && !d.Is(apiextensions.NamesAccepted) && k.apply(ctx, d) {
				again = true
			}
		}
	}
}

func older(a, b *definition) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

// forget withdraws the kind of a definition that is gone, and gives others of the group the names that it had.
func (k *kinds) forget(ctx context.Context, d *definition) {
	delete(k.definitions, d.Name)
	k.retries.forget(d.Name)
	k.expected.remove(d)
	delete(k.forms.kept, d.Name)
	k.leave(d)
	k.withdraw(ctx, d.Name)
	k.settleWaiting(ctx, d.Spec.Group)
}
