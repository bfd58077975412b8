package resource

import (
	"context"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Register tells the store how to find and upgrade the objects of the resource.
func (res *Resource) Register(ctx context.Context) error {
	var indexed []watch.Index
	for i := range res.fields {
		indexed = append(indexed, res.indexOf(i))
	}
	for _, label := range res.indexedLabels {
		indexed = append(indexed, watch.Index{Label: label})
	}
	if res.History() != nil {
		if err := RegisterHistory(ctx, res.Store, res.HistoryName(), res.Kind.Namespaced, res.Holder); err != nil {
			return err
		}
	}
	return res.Store.Register(ctx, storage.Resource{
		Name:        res.StoredName(),
		Namespaced:  res.Kind.Namespaced,
		Extract:     res.extract,
		Indexed:     indexed,
		Fingerprint: res.fingerprint(),
		Upgrade:     res.upgrade,
		Declaration: res,
		Holder:      res.Holder,
	})
}

// fingerprint identifies the form of the stored objects.
func (res *Resource) fingerprint() string {
	return res.GVK.Version + "/" + res.Schema.Fingerprint() + "/" + strings.Join(res.Kind.SelectableFields, ",")
}

// Unregister makes the store stop serving the resource, unless another API holds it.
func (res *Resource) Unregister(ctx context.Context) error {
	if res.Kind.Virtual {
		return nil
	}
	err := res.Store.Unregister(ctx, res.StoredName(), res.Holder)
	if err == nil && res.History() != nil {
		err = res.Store.Unregister(ctx, res.HistoryName(), res.Holder)
	}
	return err
}

// Rehearse returns the error with which the store would refuse to upgrade the objects of old to the form of res.
func (res *Resource) Rehearse(ctx context.Context, old *Resource) error {
	if old.fingerprint() == res.fingerprint() {
		return nil
	}
	page, err := res.Store.List(ctx, storage.Query{Within: watch.Key{Resource: old.StoredName()}}, nil)
	if err != nil {
		return err
	}
	for _, r := range page.Records {
		text, err := r.JSON(ctx)
		if err == nil {
			_, err = res.upgrade(text)
		}
		if err != nil {
			return fmt.Errorf("kind %q: %s %s/%s: %w", res.GVK.Kind, r.Key.Resource, r.Key.Namespace, r.Key.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
