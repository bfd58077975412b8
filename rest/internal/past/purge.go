package past

import (
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Purge erases the former versions of the objects that have or had a name. A client whose rights are restricted must
// see the object, and erases the versions that it sees. A dry run erases nothing.
func Purge(ctx context.Context, res *resource.Resource, t resource.Target, dryRun bool) error {
	if t.Only != nil {
		return purgeSeen(ctx, res, t, dryRun)
	}
	key := res.Key(t.Namespace, t.Name)
	entries, err := entriesOf(ctx, res, key, storage.MostRecent)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		if _, err := res.Store.Get(ctx, key, storage.MostRecent); err != nil {
			return res.StoreError(err, t.Name)
		}
	}
	if dryRun {
		return nil
	}
	keys := make([]storage.Key, len(entries))
	for i, e := range entries {
		keys[i] = e.Key
	}
	return res.StoreError(remove(ctx, res.Store, keys), t.Name)
}

// purgeSeen is Purge for a client whose rights are restricted.
func purgeSeen(ctx context.Context, res *resource.Resource, t resource.Target, dryRun bool) error {
	p, err := Read(ctx, res, t)
	if err != nil {
		return err
	}
	defer p.Close()
	if dryRun {
		return nil
	}
	var keys []storage.Key
	for _, s := range p.states {
		hidden, err := p.hides(s)
		if err != nil {
			return err
		}
		if p.forget(s); !hidden {
			keys = append(keys, keyOf(res, res.Key(t.Namespace, t.Name), p.UID, s.revision))
		}
	}
	return res.StoreError(remove(ctx, res.Store, keys), t.Name)
}

// PurgeNamespace erases the former versions of all objects that a store holds in a namespace, also those of kinds that
// the API does not serve.
func PurgeNamespace(ctx context.Context, store storage.Store, holder storage.Holder, namespace string) error {
	held, err := store.ResourcesIn(ctx, namespace)
	if err != nil {
		return err
	}
	for _, name := range held {
		if !resource.IsHistory(name) {
			continue
		}
		if err := resource.RegisterHistory(ctx, store, name, true, holder); err != nil {
			return err
		}
		if err := removeAll(ctx, store, watch.Key{Resource: name, Namespace: namespace}); err != nil {
			return err
		}
	}
	return nil
}

// PurgeResource erases the former versions of all objects of a resource, whether it still declares a history or not.
func PurgeResource(ctx context.Context, res *resource.Resource) error {
	held, err := res.Store.ResourcesIn(ctx, "")
	if err != nil || !slices.Contains(held, res.HistoryName()) {
		return err
	}
	if err := resource.RegisterHistory(ctx, res.Store, res.HistoryName(), res.Kind.Namespaced, res.Holder); err != nil {
		return err
	}
	err = removeAll(ctx, res.Store, watch.Key{Resource: res.HistoryName()})
	if res.History() == nil {
		err = errors.Join(err, res.Store.Unregister(ctx, res.HistoryName(), res.Holder))
	}
	return err
}

// removeAll removes all records of a scope.
func removeAll(ctx context.Context, store storage.Store, within watch.Key) error {
	return inPages(ctx, store, within, nil,
		func(page []*storage.Record) error { return remove(ctx, store, keysOf(page)) })
}

// inPages calls f with the records of a scope that match, page by page.
func inPages(
	ctx context.Context, store storage.Store, within watch.Key, match func(*storage.Record) bool,
	f func([]*storage.Record) error,
) error {
	q := storage.Query{Within: within, Limit: batch, Match: match}
	for {
		page, err := store.List(ctx, q, nil)
		if err == nil {
			err = f(page.Records)
		}
		if err != nil || !page.More {
			return err
		}
		q.After = page.Records[len(page.Records)-1].Key
	}
}

func keysOf(records []*storage.Record) (keys []storage.Key) {
	for _, r := range records {
		keys = append(keys, r.Key)
	}
	return keys
}

// remove removes records. Those that are gone already do not matter.
func remove(ctx context.Context, store storage.Store, keys []storage.Key) error {
	for len(keys) > 0 {
		n := min(batch, len(keys))
		_, err := store.UpdateAll(ctx, keys[:n], func([]*storage.Record) ([][]byte, error) { return make([][]byte, n), nil })
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		keys = keys[n:]
	}
	return nil
}
