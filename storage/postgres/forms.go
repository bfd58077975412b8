package postgres

import (
	"context"
	"slices"
	"sync"
)

// forms holds the fingerprints of each resource, in the order in which they were first used. The index of a fingerprint is its number.
type forms struct {
	mu  sync.RWMutex
	all map[string][]string
}

// number returns the number of a form, or -1.
func (f *forms) number(resource, form string) int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Index(f.all[resource], form)
}

// name returns the fingerprint of a number, and whether it is known.
func (f *forms) name(resource string, number int) (string, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if all := f.all[resource]; number >= 0 && number < len(all) {
		return all[number], true
	}
	return "", false
}

func (f *forms) set(resource string, all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(all) > len(f.all[resource]) {
		f.all[resource] = all
	}
}

// readForms reads the forms of a resource.
func (a *authority) readForms(ctx context.Context, resource string) error {
	var all []string
	statement := "SELECT coalesce(array_agg(fingerprint ORDER BY number), '{}') FROM {schema}.forms WHERE resource = $1"
	err := a.ask(ctx, statement, []any{resource}, &all)
	if err == nil {
		a.forms.set(resource, all)
	}
	return err
}

// Announce implements [storage.Authority].
func (a *authority) Announce(ctx context.Context, resource, form string) error {
	for a.forms.number(resource, form) < 0 {
		if err := a.readForms(ctx, resource); err != nil {
			return err
		}
		if a.forms.number(resource, form) >= 0 {
			break
		}
		inserted := 0
		err := a.ask(ctx, `WITH added AS (
				INSERT INTO {schema}.forms (resource, number, fingerprint)
				SELECT $1, count(*), $2 FROM {schema}.forms WHERE resource = $1 ON CONFLICT DO NOTHING RETURNING 1
			) SELECT count(*) FROM added`, []any{resource, form}, &inserted)
		if err != nil {
			return err
		}
	}
	return nil
}

// Newer implements [storage.Authority].
func (a *authority) Newer(resource, form, than string) bool {
	return a.forms.number(resource, form) > a.forms.number(resource, than)
}
