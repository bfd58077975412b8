package torture

import (
	"context"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// These are the resources of the objects.
const (
	widgets = "widgets.example.com" // namespaced
	nodes   = "nodes"
)

func resources() []storage.Resource {
	extract := storage.NewExtractor([]string{"spec", "write"})
	return []storage.Resource{
		{Name: widgets, Namespaced: true, Extract: extract, Fingerprint: "1"},
		{Name: nodes, Extract: extract, Fingerprint: "1"},
	}
}

func register(ctx context.Context, store storage.Store) error {
	for _, r := range resources() {
		if err := store.Register(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// keys holds only a few keys, so that writers compete for them.
func keys() (all []storage.Key) {
	for i := range 8 {
		all = append(all, storage.Key{Resource: widgets, Namespace: "a", Name: fmt.Sprint(i)},
			storage.Key{Resource: widgets, Namespace: "b", Name: fmt.Sprint(i)},
			storage.Key{Resource: nodes, Name: fmt.Sprint(i)})
	}
	return all
}

func keyText(k storage.Key) string { return k.Resource + "/" + k.Namespace + "/" + k.Name }

// object returns the JSON of an object that names the write that made it. Most objects fit on a page, and some need
// several.
func object(k storage.Key, write string, size int) []byte {
	return fmt.Appendf(nil, `{"kind":"X","metadata":{"name":%q,"namespace":%q,"resourceVersion":""},"spec":{"write":%q,"pad":%q}}`,
		k.Name, k.Namespace, write, strings.Repeat("x", size))
}

// writeOf returns the name of the write that produced a record, or "" for nil.
func writeOf(r *storage.Record) string {
	if r == nil {
		return ""
	}
	return r.Fields[0]
}

// event is a change: at a revision, a write replaced or deleted an object.
type event struct {
	revision watch.Revision
	key      string
	write    string // "" if the object was deleted
}

func eventOf(c *watch.Change[storage.Record]) event {
	return event{c.Revision, keyText(c.Key), writeOf(c.Current)}
}
