package etcd

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
)

const (
	// MaxGroup is how many objects one write may change, and how many it may compare. etcd allows 128 operations in a
	// transaction by default; one of them is the store's own. A write may concern one object less for each limited account
	// (see [engine.Group]) that it charges. A host that writes many objects in transactions splits them by it.
	MaxGroup = 127
	// maxGroupBytes is how many bytes one write may have. It is etcd's default, less what the request needs besides.
	maxGroupBytes = 3 << 19
	// perOperation is about how many bytes an operation needs besides its key and value.
	perOperation = 32
	// resolveWait is how long a commit without an answer waits for the feed to show it.
	resolveWait = 2 * time.Second
)

// Commit implements [engine.Authority] with one transaction. It passes the group to the engine itself, if nothing is
// missing before it. If the answer is lost, the feed can still show that the transaction was executed. After the
// connection was lost, Commit waits until etcd is recognized: an earlier state may have given the revisions in the
// conditions to other commits.
func (a *authority) Commit(ctx context.Context, group engine.Group) (engine.Verdict, error) {
	bounded, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), a.opts.Timeout)
	defer cancel()
	if err := a.feed.untilResumed(bounded); err != nil {
		return engine.Verdict{}, unavailable(ctx, err)
	}
	m := marker{id: rand.Text(), at: group.At}
	conditions, operations, err := a.transaction(ctx, group, &m)
	if err != nil {
		return engine.Verdict{}, err
	}
	seen := a.expect(m.id)
	defer a.forget(m.id)
	response, err := a.client.Txn(bounded).If(conditions...).Then(operations...).Else(clientv3.OpGet(a.keys.commit)).Commit()
	if err != nil {
		return a.outcome(ctx, err, seen)
	}
	a.noteFull(nil)
	a.see(response.Header.Revision)
	if response.Succeeded {
		a.show(ctx, m.id, operations, response.Header.Revision)
		return engine.Verdict{Done: true, Revision: a.revision(response.Header.Revision, 0)}, nil
	}
	kvs := response.Responses[0].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return engine.Verdict{}, fmt.Errorf("%w: %s does not exist", ErrFormat, a.keys.commit)
	}
	last := mark{revision: kvs[0].ModRevision}
	if last.marker, err = parseMarker(kvs[0].Value); err != nil {
		return engine.Verdict{}, err
	}
	return engine.Verdict{Revision: last.end(a)}, nil
}

// transaction returns the conditions and operations of a group.
func (a *authority) transaction(ctx context.Context, group engine.Group,
	m *marker) ([]clientv3.Cmp, []clientv3.Op, error) {
	conditions := make([]clientv3.Cmp, 0, len(group.Entries))
	operations := make([]clientv3.Op, 1, len(group.Entries)+1)
	size := 0
	for _, e := range group.Entries {
		key := a.keys.object(e.Key)
		size += len(key) + perOperation
		if e.Previous == nil {
			conditions = append(conditions, absent(key))
		} else {
			conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(key), "=", a.at(e.Previous.Revision)))
		}
		switch {
		case e.Current == e.Previous:
			continue
		case e.Current == nil:
			operations = append(operations, clientv3.OpDelete(key))
		default:
			value, err := a.encode(ctx, a.Forms.Number(e.Key.Resource, e.Form), m.count, e.Current)
			if err != nil {
				return nil, nil, err
			}
			size += len(value)
			put := clientv3.OpPut(key, "")
			put.WithValueBytes(value) // OpPut would copy the value
			operations = append(operations, put)
		}
		size += len(key) + perOperation
		m.count++
	}
	operations[0] = clientv3.OpPut(a.keys.commit, m.String())
	if len(conditions)+len(group.Accounts) > MaxGroup {
		return nil, nil, tooLarge(fmt.Sprintf("a write may concern at most %d objects, but this one concerns %d",
			MaxGroup-len(group.Accounts), len(conditions)))
	}
	for _, name := range group.Accounts {
		key := a.keys.account(name)
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(key), "<", a.at(group.Seen)+1))
		operations = append(operations, clientv3.OpPut(key, ""))
		size += 2 * (len(key) + perOperation)
	}
	if size > maxGroupBytes {
		return nil, nil, tooLarge(fmt.Sprintf("a write may have at most %d bytes, but this one has %d", maxGroupBytes, size))
	}
	return conditions, operations, nil
}

// outcome returns what became of a transaction whose answer is an error.
func (a *authority) outcome(ctx context.Context, err error, seen <-chan int64) (engine.Verdict, error) {
	if refusal := refused(err); refusal != nil {
		if rpctypes.Error(err) == rpctypes.ErrNoSpace {
			a.noteFull(refusal)
		}
		return engine.Verdict{}, refusal
	}
	timer := time.NewTimer(resolveWait)
	defer timer.Stop()
	select {
	case revision := <-seen:
		return engine.Verdict{Done: true, Revision: a.revision(revision, 0)}, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return engine.Verdict{}, storage.Unknown(err)
}

// expect returns a channel that receives the revision of a commit when the feed shows it.
func (a *authority) expect(id string) <-chan int64 {
	seen := make(chan int64, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending[id] = seen
	return seen
}

func (a *authority) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.pending, id)
}

// resolve tells the writer of a commit that the feed has shown it.
func (a *authority) resolve(id string, revision int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seen, ok := a.pending[id]; ok {
		seen <- revision
		delete(a.pending, id)
	}
}

// probeSpace finds out whether etcd has space again, so that a store without writers becomes ready. The transaction
// would write, but its condition does not hold.
func (a *authority) probeSpace(ctx context.Context) {
	a.mu.Lock()
	full := a.full != nil
	a.mu.Unlock()
	if !full {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, a.opts.Timeout)
	defer cancel()
	if _, err := a.client.Txn(bounded).If(absent(a.keys.meta)).Then(clientv3.OpPut(a.keys.meta, "")).Commit(); err == nil {
		a.noteFull(nil)
	}
}

// noteFull remembers whether etcd has space.
func (a *authority) noteFull(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.full = err
}
