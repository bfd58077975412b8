package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// unclaimed holds the recent changes of resources that the replica does not serve yet, oldest first. Once a resource is
// registered, they lead from an older state of the resource to the current one, so watches may resume from there. The
// engine's lock guards it.
type unclaimed struct {
	floor   watch.Revision // it holds all changes after this revision
	entries []arrived
	bytes   int64
	holders int // while a resource is loaded, nothing is dropped
	// abandoned holds the floors of resources that the replica has ceased to serve, where they are above the common one.
	abandoned map[string]watch.Revision
}

// floorOf returns the revision after which all changes of a resource are held.
func (u *unclaimed) floorOf(resource string) watch.Revision {
	return max(u.floor, u.abandoned[resource])
}

// abandon begins to hold the changes of a resource that the replica has ceased to serve at a revision.
func (u *unclaimed) abandon(resource string, at watch.Revision) {
	if u.abandoned == nil {
		u.abandoned = map[string]watch.Revision{}
	}
	u.abandoned[resource] = at
}

// arrived is one change with its group.
type arrived struct {
	Stored
	end watch.Revision
	at  time.Time
}

func (u *unclaimed) add(e arrived) {
	u.entries = append(u.entries, e)
	u.bytes += e.size()
}

func (e *arrived) size() int64 { return int64(len(e.JSON)) + recordOverhead }

// trim drops the groups that are older than a time, and those that exceed a number of bytes.
func (u *unclaimed) trim(oldest time.Time, bytes int64) {
	if u.holders > 0 {
		return
	}
	n := 0
	for n < len(u.entries) && (u.entries[n].at.Before(oldest) || u.bytes > bytes || u.entries[n].end == u.floor) {
		u.bytes -= u.entries[n].size()
		u.floor = u.entries[n].end
		n++
	}
	u.entries = slices.Delete(u.entries, 0, n)
	maps.DeleteFunc(u.abandoned, func(_ string, floor watch.Revision) bool { return floor <= u.floor })
}

// of returns the changes of a resource after a revision.
func (u *unclaimed) of(resource string, after watch.Revision) []arrived {
	var all []arrived
	for _, e := range u.entries {
		if e.Key.Resource == resource && e.Revision > after {
			all = append(all, e)
		}
	}
	return all
}

// claim drops the changes of a resource, which is now served.
func (u *unclaimed) claim(resource string) {
	delete(u.abandoned, resource)
	u.entries = slices.DeleteFunc(u.entries, func(e arrived) bool {
		if e.Key.Resource != resource {
			return false
		}
		u.bytes -= e.size()
		return true
	})
}
