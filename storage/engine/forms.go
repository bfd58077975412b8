package engine

import (
	"context"
	"slices"
	"sync"
)

// Forms numbers the forms of each resource for an [Authority], in the order in which replicas announce them. Beside
// each record, an authority stores the number, which is shorter than the form. An authority that embeds Forms has the
// methods Announce and Newer. All methods are safe for concurrent use.
type Forms struct {
	read func(ctx context.Context, resource string) ([]string, error)
	add  func(ctx context.Context, resource, form string, number int) error

	mu  sync.RWMutex
	all map[string][]string
}

// NewForms returns Forms that are kept by the authority itself. read returns all forms of a resource in the order of
// their numbers, which start at 0. add stores a form under a number, or does nothing if another replica has used this
// number or announced this form meanwhile.
func NewForms(
	read func(ctx context.Context, resource string) ([]string, error),
	add func(ctx context.Context, resource, form string, number int) error,
) *Forms {
	return &Forms{read: read, add: add, all: map[string][]string{}}
}

// Number returns the number of a form, or -1 if this replica does not know the form.
func (f *Forms) Number(resource, form string) int {
	return slices.Index(f.known(resource), form)
}

// Form returns the form that has a number. It returns false if this replica does not know the number; after
// [Forms.Refresh] it may.
func (f *Forms) Form(resource string, number int) (form string, ok bool) {
	if known := f.known(resource); number >= 0 && number < len(known) {
		return known[number], true
	}
	return "", false
}

// Refresh reads the forms of a resource again, and returns the error of read.
func (f *Forms) Refresh(ctx context.Context, resource string) error {
	all, err := f.read(ctx, resource)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(all) > len(f.all[resource]) { // a slower call may have read less
		f.all[resource] = all
	}
	return nil
}

// Announce implements the method of [Authority]. It returns the errors of read and add.
func (f *Forms) Announce(ctx context.Context, resource, form string) error {
	for f.Number(resource, form) < 0 {
		if err := f.Refresh(ctx, resource); err != nil {
			return err
		}
		known := f.known(resource)
		if slices.Contains(known, form) {
			break
		}
		if err := f.add(ctx, resource, form, len(known)); err != nil {
			return err
		}
	}
	return nil
}

// Newer implements the method of [Authority] without reading from the store.
func (f *Forms) Newer(resource, form, than string) bool {
	return f.Number(resource, form) > f.Number(resource, than)
}

// known returns the forms that this replica knows. Nobody changes the slice.
func (f *Forms) known(resource string) []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.all[resource]
}
