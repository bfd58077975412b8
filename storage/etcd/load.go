package etcd

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// Limits for one page of Load.
const (
	firstPage, largestPage = 100, 2000
	pageBytes              = 4 << 20
)

// Load implements [engine.Authority].
func (a *authority) Load(ctx context.Context, resource string, at watch.Revision,
	yield func(engine.Stored) error) error {
	prefix := a.keys.resource(resource)
	end := clientv3.GetPrefixRangeEnd(prefix)
	if err := a.Forms.Refresh(ctx, resource); err != nil {
		return err
	}
	revision := a.at(at)
	if revision < 0 {
		return expired()
	}
	next, limit := prefix, int64(firstPage)
	for {
		response, err := a.get(ctx, next, clientv3.WithRange(end), clientv3.WithRev(revision), clientv3.WithLimit(limit))
		if errors.Is(err, errAhead) {
			return expired()
		}
		if err != nil {
			return err
		}
		size := int64(0)
		for _, kv := range response.Kvs {
			size += int64(len(kv.Value)) + 1
			if err := yield(a.stored(ctx, kv)); err != nil {
				return err
			}
		}
		if !response.More {
			return nil
		}
		next = string(response.Kvs[len(response.Kvs)-1].Key) + "\x00"
		limit = min(max(1, pageBytes*int64(len(response.Kvs))/size), largestPage)
	}
}

// stored returns the record of a key and its value.
func (a *authority) stored(ctx context.Context, kv *mvccpb.KeyValue) engine.Stored {
	key, err := a.keys.parseObject(string(kv.Key))
	if err != nil {
		return engine.Stored{Key: key, Revision: a.revision(kv.ModRevision, 0), Unreadable: err}
	}
	s, err := a.decode(key, kv.Value, kv.ModRevision)
	var unknown *unknownForm
	if errors.As(err, &unknown) {
		if err = a.Forms.Refresh(ctx, key.Resource); err == nil {
			s, err = a.decode(key, kv.Value, kv.ModRevision)
		}
	}
	if err != nil {
		s = engine.Stored{Key: key, Revision: a.revision(kv.ModRevision, 0), Unreadable: err}
	}
	return s
}
