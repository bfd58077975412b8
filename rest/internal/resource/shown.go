package resource

import (
	"github.com/decorum-go/decorum/rest/internal/generations"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// shownCache caches records that were converted to other versions than the stored one. A committed record never
// changes, so an entry never becomes stale; it is dropped only for lack of room.
type shownCache struct {
	entries *generations.Cache[shownKey, *storage.Record]
}

// shownKey identifies a record in a version. Each commit has its own revision, so the revision identifies the record.
type shownKey struct {
	revision watch.Revision
	as       *Resource
}

func newShownCache(budget *storage.Budget, maxBytes int64) shownCache {
	return shownCache{generations.New[shownKey, *storage.Record](budget, maxBytes)}
}

// get returns an entry or nil.
func (c shownCache) get(k shownKey) *storage.Record {
	shown, _ := c.entries.Get(k)
	return shown
}

// shownOverhead is about the memory that an entry needs besides its JSON.
const shownOverhead = 600

// add stores an entry and returns it. If another goroutine was faster, add returns that entry instead.
func (c shownCache) add(k shownKey, shown *storage.Record) *storage.Record {
	if k.revision == 0 { // an object that is not committed yet changes without a new revision
		return shown
	}
	return c.entries.Add(k, shown, int64(shown.Len()+shownOverhead))
}

// Forget frees the converted and the decoded objects that are kept for a resource.
func (res *Resource) Forget() {
	for _, version := range res.EveryVersion() {
		res.shownCache.entries.Forget(func(k shownKey) bool { return k.as == version })
		res.decodedCache.entries.Forget(func(k decodedKey) bool { return k.as == version })
	}
}
