package write

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

// unattendedAfter is how long a deletion may wait until the API looks whether anybody works on it.
const unattendedAfter = 30 * time.Second

// unattended logs once that a deletion waits for the controllers of package lifecycle and nobody seems to run them. It
// looks at one deletion at a time. One timer waits; no goroutine runs until it fires.
type unattended struct {
	host resource.Host

	mu        sync.Mutex
	attending int         // how many followers of all resources the API has, such as the garbage collector
	timer     *time.Timer // nil unless a deletion is being looked at
	done      bool        // it has been logged, or the API is closed
}

// Attend says that somebody follows all resources, until the returned function is called.
func (all *Writes) Attend() (leave func()) {
	u := all.unattended
	count := func(n int) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.attending += n
	}
	count(1)
	return func() { count(-1) }
}

// await looks at a deletion after a while. record is the object after the deletion, and obj its document.
func (u *unattended) await(res *resource.Resource, record *storage.Record, obj doc.Value) {
	if !waitsForControllers(res, obj) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.done && u.timer == nil && u.attending == 0 {
		u.timer = time.AfterFunc(unattendedAfter, func() { u.look(res, record) })
	}
}

// waitsForControllers reports whether an object that is being deleted has a finalizer that a controller of package
// lifecycle removes.
func waitsForControllers(res *resource.Resource, obj doc.Value) bool {
	return res.AreNamespaces() || slices.ContainsFunc(objectmeta.FinalizersOf(obj), func(f string) bool {
		return f == objectmeta.FinalizerForeground || f == objectmeta.FinalizerOrphan
	})
}

// look logs that nobody works on a deletion, if that is so: nobody in this process, and nobody has changed the object
// since.
func (u *unattended) look(res *resource.Resource, record *storage.Record) {
	waits := false
	if ctx, done, err := u.host.Begin(); err == nil {
		defer done()
		now, err := res.Store.Get(ctx, record.Key, storage.MostRecent)
		waits = err == nil && now.UID == record.UID && now.Revision == record.Revision
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = nil
	if u.done || !waits || u.attending > 0 {
		return
	}
	u.done = true
	u.host.Logger.Error("a deletion waits, and nobody seems to work on it: run lifecycle.Run in this program or in another replica",
		slog.String("resource", res.GR.String()), slog.String("namespace", record.Key.Namespace),
		slog.String("name", record.Key.Name),
		slog.Duration("after", unattendedAfter))
}

// stop ends the look-out.
func (u *unattended) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done = true
	if u.timer != nil {
		u.timer.Stop()
	}
}
