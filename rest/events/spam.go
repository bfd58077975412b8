package events

import (
	"time"

	"github.com/decorum-go/decorum/rest/builtin"
)

// An object may cause spamBurst events at once, and then one every spamPeriod, of each type. The figures are those of client-go.
const (
	spamBurst  = 25
	spamPeriod = 5 * time.Minute
	// maxObjects bounds for how many objects the filter counts.
	maxObjects = 4096
)

// source is what the filter counts apart: the events of an object of one type.
type source struct {
	object builtin.ObjectReference
	kind   string
}

// spamFilter says of each source until when its allowance is used up. A source that has its whole allowance is not in it.
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

// forget removes the sources that have their whole allowance, and at least one.
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
