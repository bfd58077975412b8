package etcd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

const (
	// perRevision is the distance between the resourceVersions of two revisions of etcd. It exceeds the number of changes
	// in a transaction.
	perRevision = 256
	// maxReplay bounds how many commits a replica reads when it opens, to serve the history before.
	maxReplay = 10_000
)

var (
	_ engine.Authority = (*authority)(nil)
	_ engine.Sized     = (*authority)(nil)
)

// authority implements [engine.Authority].
type authority struct {
	*engine.Forms

	opts   Options
	client *clientv3.Client
	owned  bool // the client was made by Open
	keys   keys
	id     string // set by Begin
	feed   feed

	begins   atomic.Uint64 // see base
	seen     atomic.Int64  // the highest revision of etcd that was seen in the current epoch
	renewing sync.Mutex    // held while a new epoch begins

	mu      sync.Mutex
	pending map[string]chan int64 // commits whose outcome the feed may tell, by id
	full    error                 // the last commit failed because etcd has no space left
}

// revision returns the resourceVersion of a change.
func (a *authority) revision(revision int64, index int) watch.Revision {
	return a.base() + watch.Revision(revision)*perRevision + watch.Revision(index)
}

// end returns the last resourceVersion that a revision of etcd can have.
func (a *authority) end(revision int64) watch.Revision { return a.revision(revision, perRevision-1) }

// at returns the revision of etcd of a resourceVersion, or -1 if it is from an earlier epoch.
func (a *authority) at(revision watch.Revision) int64 {
	base := a.base()
	if revision < base {
		return -1
	}
	return int64((revision - base) / perRevision)
}

// get reads keys. Its errors are for clients.
func (a *authority) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	response, err := a.client.Get(bounded, key, opts...)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	a.see(response.Header.Revision)
	return response, nil
}

// Size implements [engine.Sized]. It is the size of the whole database of the etcd member that answers.
func (a *authority) Size(ctx context.Context) (engine.Size, error) {
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	endpoint := "" // a client that calls a server in this process directly needs no endpoint
	if endpoints := a.client.Endpoints(); len(endpoints) > 0 {
		endpoint = endpoints[0]
	}
	status, err := a.client.Status(ctx, endpoint)
	if err != nil {
		return engine.Size{}, fmt.Errorf("the size of etcd: %w", err)
	}
	return engine.Size{ID: a.id, FileBytes: status.DbSize, FreeBytes: status.DbSize - status.DbSizeInUse}, nil
}

// unavailable returns the error of a request that etcd did not answer, or an error that wraps the one of the caller's
// context.
func unavailable(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil:
		return fmt.Errorf("etcd does not answer: %w", ctx.Err())
	case isCompacted(err):
		return expired()
	case isAhead(err):
		return errAhead
	}
	return storage.Unavailable(fmt.Errorf("etcd does not answer: %w", err))
}

// Begin implements [engine.Authority].
func (a *authority) Begin(ctx context.Context, clock watch.Revision, since time.Time) (watch.Revision, error) {
	// A full etcd refuses even a transaction that finds a store and creates nothing.
	found, err := a.get(ctx, a.keys.meta)
	if err != nil {
		return 0, err
	}
	if len(found.Kvs) == 0 {
		if err := a.create(ctx, clock); err != nil {
			return 0, err
		}
	}
	response, m, err := a.readMeta(ctx)
	if err != nil {
		return 0, err
	}
	a.id = m.ID
	a.begins.Store(uint64(m.Base))
	return a.start(ctx, response.Kvs[0].CreateRevision, since)
}

// readMeta returns the description of the store.
func (a *authority) readMeta(ctx context.Context) (response *clientv3.GetResponse, m meta, err error) {
	if response, err = a.get(ctx, a.keys.meta); err != nil {
		return nil, m, err
	}
	if len(response.Kvs) == 0 {
		return nil, m, storage.Unavailable(fmt.Errorf("%w: %s does not exist", ErrFormat, a.keys.meta))
	}
	m, err = parseMeta(response.Kvs[0].Value)
	return response, m, err
}

// create makes a new store, unless the prefix has one.
func (a *authority) create(ctx context.Context, clock watch.Revision) error {
	id := make([]byte, 16)
	rand.Read(id)
	text, err := json.Marshal(meta{Format: layout, ID: hex.EncodeToString(id), Base: clock})
	if err != nil {
		return err
	}
	first := marker{id: "0", at: time.Now()}
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	_, err = a.client.Txn(bounded).If(absent(a.keys.meta)).
		Then(clientv3.OpPut(a.keys.meta, string(text)), clientv3.OpPut(a.keys.commit, first.String())).Commit()
	if err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// mark is the last commit at a revision of etcd.
type mark struct {
	marker
	revision, version int64
}

// end returns the last resourceVersion of the commit.
func (m *mark) end(a *authority) watch.Revision { return a.revision(m.revision, max(m.count, 1)-1) }

// mark returns the last commit at a revision, or now if the revision is 0, and the revision of etcd that the answer
// has.
func (a *authority) mark(ctx context.Context, at int64) (m mark, known int64, err error) {
	response, err := a.get(ctx, a.keys.commit, clientv3.WithRev(at))
	if err != nil {
		return m, 0, err
	}
	if len(response.Kvs) == 0 {
		return m, 0, fmt.Errorf("%w: %s does not exist", ErrFormat, a.keys.commit)
	}
	kv := response.Kvs[0]
	m.revision, m.version = kv.ModRevision, kv.Version
	m.marker, err = parseMarker(kv.Value)
	return m, response.Header.Revision, err
}

// Latest implements [engine.Authority].
func (a *authority) Latest(ctx context.Context) (last, known watch.Revision, err error) {
	base, seen, sighted := a.base(), a.seen.Load(), a.feed.sighted()
	m, revision, err := a.mark(ctx, 0)
	if err == nil && goneBack(&m, revision, seen, sighted) {
		if err = a.beginEpoch(ctx, base); err == nil {
			m, revision, err = a.mark(ctx, 0)
		}
	}
	if err != nil {
		return 0, 0, err
	}
	a.probeSpace(ctx)
	return m.end(a), a.end(revision), nil
}

// Compact implements [engine.Authority]. It does not compact etcd, which other stores may share.
func (a *authority) Compact(ctx context.Context, through watch.Revision) error {
	for {
		response, err := a.get(ctx, a.keys.history)
		if err != nil {
			return err
		}
		unchanged := absent(a.keys.history)
		if len(response.Kvs) > 0 {
			if floor, err := parseFloor(response); err != nil || floor >= through {
				return err
			}
			unchanged = clientv3.Compare(clientv3.ModRevision(a.keys.history), "=", response.Kvs[0].ModRevision)
		}
		bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
		txn, err := a.client.Txn(bounded).If(unchanged).Then(clientv3.OpPut(a.keys.history,
			strconv.FormatUint(uint64(through), 10))).Commit()
		cancel()
		if err != nil {
			return unavailable(ctx, err)
		}
		if txn.Succeeded {
			return nil
		}
	}
}

// parseFloor returns the revision up to which the history was dropped, or 0.
func parseFloor(response *clientv3.GetResponse) (watch.Revision, error) {
	if len(response.Kvs) == 0 {
		return 0, nil
	}
	floor, err := strconv.ParseUint(string(response.Kvs[0].Value), 10, 64)
	return watch.Revision(floor), err
}

// Close implements [engine.Authority].
func (a *authority) Close() error {
	if !a.owned {
		return nil
	}
	if err := a.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
