package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/internal/intern"
)

// Register implements [storage.Store].
func (e *Engine) Register(ctx context.Context, resource storage.Resource) error {
	if err := checkResource(&resource); err != nil {
		return err
	}
	resource.Indexed = slices.Clone(resource.Indexed)
	if err := e.beginRegistering(ctx); err != nil {
		return err
	}
	defer e.endRegistering()
	e.mu.RLock()
	t, closed, usedUp := e.tables[resource.Name], e.closed, e.revision >= maxRevision
	e.mu.RUnlock()
	switch {
	case closed:
		return storage.ErrClosed
	case usedUp:
		return storage.ErrRevision
	case t == nil:
		return e.committer.load(ctx, &resource)
	case t.namespaced != resource.Namespaced:
		return fmt.Errorf("%w: %q is registered with another scope", storage.ErrResource, resource.Name)
	}
	if err := e.replaceForm(ctx, t, &resource); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t.hold(resource.Holder)
	e.bookTable(t)
	if t.dormant {
		t.setForm(&resource) // Unregister may have stripped the form
		t.dormant = false
		e.committer.wake(t)
	}
	return nil
}

// replaceForm gives a table a form, unless it has that form. Then it waits for the commits that began in the old one.
func (e *Engine) replaceForm(ctx context.Context, t *table, form *storage.Resource) error {
	old := e.formOf(t)
	switch {
	case old.Fingerprint != form.Fingerprint || !slices.Equal(old.Indexed, form.Indexed):
		if err := e.upgrade(ctx, t, form); err != nil {
			return err
		}
	case old.Declaration != form.Declaration:
		e.setForm(t, form)
	default:
		return nil
	}
	return e.committer.drain(ctx, t)
}

// setForm gives a table an equal form. Writes under way that saw the old one call their functions again, as after an
// upgrade.
func (o *objects) setForm(t *table, form *storage.Resource) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.setForm(form)
}

// setForm gives the table another form with the same fingerprint. The caller holds the lock of the objects.
func (t *table) setForm(form *storage.Resource) {
	t.form = form
	if t.origin != nil {
		t.origin.follow(form)
	}
}

// checkResource validates the declaration of a resource.
func checkResource(r *storage.Resource) error {
	if r.Name == "" || r.Extract == nil {
		return fmt.Errorf("%w: %q needs a name and an extractor", storage.ErrResource, r.Name)
	}
	for i, of := range r.Indexed {
		if of.Field < 0 || of.Label != "" && of.Field != 0 || slices.Contains(r.Indexed[:i], of) {
			return fmt.Errorf("%w: %q has an invalid or duplicate index", storage.ErrResource, r.Name)
		}
	}
	return nil
}

func newTable(form *storage.Resource) *table {
	return &table{name: form.Name, namespaced: form.Namespaced, form: form, holders: []storage.Holder{form.Holder},
		tree: newRecords(), indexes: newIndexes(form.Indexed), names: intern.New(), builder: newBuilder(),
		proposals: &sync.WaitGroup{}}
}

// inForm converts the record to another form, at the same revision.
func inForm(ctx context.Context, r *storage.Record, form *storage.Resource) (*storage.Record, error) {
	json, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	if form.Upgrade != nil {
		if json, err = form.Upgrade(json); err != nil {
			return nil, err
		}
	}
	next := *r
	return &next, setText(&next, json, form)
}

// setText sets the JSON of the record, and extracts its parts. The resourceVersion in the JSON must equal the record's
// resourceVersion. It is empty if the record is not committed yet.
func setText(r *storage.Record, json []byte, form *storage.Resource) error {
	parts, err := form.Extract(json)
	if err != nil {
		return err
	}
	*r = *r.With(json, parts)
	if err := checkParts(&r.Extracted, json); err != nil {
		return err
	}
	want := ""
	if r.Revision > 0 {
		want = strconv.FormatUint(uint64(r.Revision), 10)
	}
	if text := json[r.Version.Start:r.Version.End]; string(text) != want {
		return fmt.Errorf("%w: the resourceVersion is %q, but the record has revision %d", storage.ErrJSON, text, r.Revision)
	}
	return nil
}

// aboutKey adds the key of a record to an error.
func aboutKey(key storage.Key, err error) error {
	return fmt.Errorf("%s %s/%s: %w", key.Resource, key.Namespace, key.Name, err)
}
