package engine

import (
	"sync"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var _ storage.Reporter = (*Engine)(nil)

// StoreStats implements [storage.Reporter].
func (e *Engine) StoreStats() storage.StoreStats {
	e.mu.RLock()
	defer e.mu.RUnlock()
	history := e.log.Stats()
	s := storage.StoreStats{
		Revision: e.log.Revision(), Resources: make(map[string]storage.ResourceStats, len(e.tables)),
		ObjectBytes: e.live.Load(),
		History: storage.HistoryStats{Changes: history.Changes, Bytes: history.Bytes, MaxBytes: e.logLimit(),
			Oldest: e.log.Floor(watch.Key{}), Since: history.Oldest},
		Commits: e.commits, Conflicts: e.conflicts.Load(), Syncs: e.syncs.Load(), SyncTime: time.Duration(e.syncTime.Load()),
	}
	for name, t := range e.tables {
		if !t.dormant {
			s.Resources[name] = storage.ResourceStats{
				Objects: t.tree.Len() + len(t.bad), Unreadable: len(t.bad), Changes: t.changes,
			}
		}
	}
	e.committer.report(&s)
	return s
}

// synced counts one sync that began at a time.
func (o *objects) synced(began time.Time) {
	o.syncs.Add(1)
	o.syncTime.Add(int64(time.Since(began)))
}

func (m *memory) report(*storage.StoreStats) {}

func (d *durable) report(s *storage.StoreStats) {
	s.Waiting = len(d.waiting)
	if d.texts != nil {
		s.Texts = d.texts.stats()
	}
}

func (r *replica) report(s *storage.StoreStats) {
	s.Replica = &storage.ReplicaStats{Delay: r.delay}
	s.Replica.UpToDate, s.Replica.Err = r.health.state()
	if sized, ok := r.authority.(Sized); ok {
		size, due := r.size.read(r.opts.Now())
		s.ID, s.FileBytes, s.FreeBytes = size.ID, size.FileBytes, size.FreeBytes
		if due && !r.closed {
			r.calls.Add(1)
			go r.askSize(sized)
		}
	}
}

// askSize asks the authority how much disk space its data takes. If the authority fails, the previous answer stays.
func (r *replica) askSize(sized Sized) {
	defer r.calls.Done()
	if size, err := sized.Size(r.ctx); err == nil {
		r.size.set(size)
	}
}

// sizeEvery is the least time between two questions for the size.
const sizeEvery = time.Minute

// knownSize is what an authority has last said about its size.
type knownSize struct {
	mu    sync.Mutex
	asked time.Time
	Size
}

// read returns the size, and whether it is time to ask again.
func (k *knownSize) read(now time.Time) (size Size, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if due = now.Sub(k.asked) >= sizeEvery; due {
		k.asked = now
	}
	return k.Size, due
}

func (k *knownSize) set(size Size) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Size = size
}
