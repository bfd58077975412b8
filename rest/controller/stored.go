package controller

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// stored is the form of objects that are in a store of this process. The informer keeps the records of the store, and
// decodes an object on demand.
type stored[T any] struct {
	records  *service.Records
	selected service.Selected
	recent   *generations.Cache[*storage.Record, *T]
	logger   *slog.Logger
	// transform is InformerOptions.Transform.
	transform func(*T)
}

const (
	// defaultDecodedBytes is the default of InformerOptions.DecodedBytes.
	defaultDecodedBytes = 32 << 20
	// decodedOverhead is the approximate memory of a decoded object in the cache besides its text, in bytes.
	decodedOverhead = 200
)

func newStored[T any](i *Informer[T], records *service.Records) content[T] {
	bytes := max(0, cmp.Or(i.options.DecodedBytes, defaultDecodedBytes))
	s := &stored[T]{
		records: records,
		selected: service.Selected{ListOptions: apimeta.ListOptions{LabelSelector: i.options.LabelSelector,
			FieldSelector: i.options.FieldSelector, ShardSelector: i.options.ShardSelector}},
		recent: generations.New[*storage.Record, *T](storage.NewBudget(bytes), bytes),
		logger: i.options.Logger, transform: i.options.Transform,
	}
	// A list uses at most half of the bytes, which leaves room for objects that are read by name.
	return newObjects(i, s, func(key Key) *storage.Record {
		return &storage.Record{Key: storage.Key{Namespace: key.Namespace, Name: key.Name}}
	}, room(bytes/2))
}

func (s *stored[T]) key(r *storage.Record) Key { return Key{r.Key.Namespace, r.Key.Name} }

func (s *stored[T]) uid(r *storage.Record) string { return r.UID }

// unchanged implements [form]. After an upgrade, the store holds a new record of the same state.
func (s *stored[T]) unchanged(old, now *storage.Record) (*storage.Record, bool) {
	same := old.Revision == now.Revision && old.UID == now.UID
	if same && old != now {
		s.recent.Remove(old)
	}
	return now, same
}

func (s *stored[T]) open(r *storage.Record, keep *room) *T {
	if obj, ok := s.recent.Get(r); ok {
		return obj
	}
	obj, size := s.decode(r, r.Revision)
	if obj == nil || keep != nil && *keep < room(size) {
		return obj
	}
	if keep != nil {
		*keep -= room(size)
	}
	return s.recent.Add(r, obj, size)
}

// decode returns the object of a record with a revision as its resourceVersion, and its size in the cache. It returns
// nil if the record cannot be decoded.
func (s *stored[T]) decode(r *storage.Record, at watch.Revision) (obj *T, size int64) {
	decoded, length, err := s.records.Decode(context.Background(), r, at) // reads of an informer take no context
	if err != nil {
		s.logger.Error("informer left out an object", "key", s.key(r), "error", err)
		return nil, 0
	}
	obj = decoded.(*T)
	if s.transform != nil {
		s.transform(obj)
	}
	return obj, int64(length) + decodedOverhead
}

func (s *stored[T]) release(r *storage.Record) { s.recent.Remove(r) }

func (s *stored[T]) list(ctx context.Context) ([]*storage.Record, string, error) {
	page, err := s.records.List(ctx, s.selected)
	if err == nil {
		err = checkShard(s.selected.ShardSelector, page.Shard)
	}
	return page.Records, strconv.FormatUint(uint64(page.Revision), 10), err
}

func (s *stored[T]) watch(ctx context.Context, version string, see func(change[T, *storage.Record])) error {
	selected := s.selected
	selected.ResourceVersion = version
	return s.records.Watch(ctx, selected, func(e follow.Event) error {
		c := change[T, *storage.Record]{entry: e.Object, version: strconv.FormatUint(uint64(e.Revision), 10)}
		if e.Type == apimeta.EventDeleted {
			c.last = func() *T {
				obj, _ := s.decode(e.Object, e.Revision)
				return obj
			}
		} else {
			c.written = e.Object.Written.Time()
		}
		see(c)
		return nil
	})
}
