package events

import (
	"time"

	"github.com/decorum-go/decorum/rest/builtin"
)

// For each object and type, the recorder accepts spamBurst events at once, and then one event every spamPeriod.
// client-go has the same limits.
const (
	spamBurst  = 25
	spamPeriod = 5 * time.Minute
	// maxObjects limits how many objects the filter tracks.
	maxObjects = 4096
)

// source identifies the events that share one allowance: the events of one object with one type.
type source struct {
	object builtin.ObjectReference
	kind   string
}

// spamFilter holds, for each source, the time at which its full allowance is available again. It omits sources with
// their full allowance.
type spamFilter map[source]time.Time

// allow reports whether a source may cause another event.
func (f spamFilter) allow(s source, now time.Time) bool {
	used := f[s]
	if used.Before(now) {
		used = now
	}
	if used.Sub(now) > (spamBurst-1)*spamPeriod {
		return false
	}
	if _, known := f[s]; !known && len(f) >= maxObjects {
		f.forget(now)
	}
	f[s] = used.Add(spamPeriod)
	return true
}

// forget removes the sources with their full allowance, and always at least one source.
func (f spamFilter) forget(now time.Time) {
	for s, used := range f {
		if used.Before(now) {
			delete(f, s)
		}
	}
	for s := range f {
		if len(f) < maxObjects {
			return
		}
		delete(f, s)
	}
}
