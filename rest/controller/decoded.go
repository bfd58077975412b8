package controller

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// decoded is the form of objects that are not in a store of this process. The informer keeps them decoded.
type decoded[T any] struct {
	client   rest.Client[T]
	options  *InformerOptions[T]
	metadata *metadata[T]
}

// keyed is an object with its key.
type keyed[T any] struct {
	at     Key
	object *T
}

func newDecoded[T any](i *Informer[T], client rest.Client[T]) content[T] {
	return newObjects(i, &decoded[T]{client, &i.options, i.metadata}, func(key Key) keyed[T] { return keyed[T]{at: key} }, 0)
}

func (d *decoded[T]) key(k keyed[T]) Key { return k.at }

func (d *decoded[T]) uid(k keyed[T]) string { return d.metadata.text(k.object, d.metadata.uid) }

// unchanged implements [form]. It keeps the old object, which readers share already.
func (d *decoded[T]) unchanged(old, now keyed[T]) (keyed[T], bool) {
	if d.metadata.same(old.object, now.object) {
		return old, true
	}
	return now, false
}

func (d *decoded[T]) open(k keyed[T], _ *room) *T { return k.object }

func (d *decoded[T]) release(keyed[T]) {}

func (d *decoded[T]) entry(obj *T) keyed[T] {
	if d.options.Transform != nil {
		d.options.Transform(obj)
	}
	return keyed[T]{d.metadata.key(obj), obj}
}

func (d *decoded[T]) list(ctx context.Context) ([]keyed[T], string, error) {
	page, err := d.client.List(ctx, rest.ListOptions{LabelSelector: d.options.LabelSelector,
		FieldSelector: d.options.FieldSelector, ShardSelector: d.options.ShardSelector})
	if err == nil {
		err = checkShard(d.options.ShardSelector, page.Shard)
	}
	if err != nil {
		return nil, "", err
	}
	entries := make([]keyed[T], len(page.Items))
	for n, obj := range page.Items {
		entries[n] = d.entry(obj)
	}
	return entries, page.ResourceVersion, nil
}

func (d *decoded[T]) watch(ctx context.Context, version string, see func(change[T, keyed[T]])) error {
	options := rest.WatchOptions{LabelSelector: d.options.LabelSelector, FieldSelector: d.options.FieldSelector,
		ShardSelector: d.options.ShardSelector, ResourceVersion: version}
	for event, err := range d.client.Watch(ctx, options) {
		if err != nil {
			return err
		}
		c := change[T, keyed[T]]{entry: d.entry(event.Object), version: event.ResourceVersion, written: event.Written}
		if event.Type == apimeta.EventDeleted {
			c.last = func() *T { return event.Object }
		}
		see(c)
	}
	return nil
}
