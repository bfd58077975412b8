package watch

import (
	"runtime"
	"time"
)

// While writers keep the log within MaxAge, the timer has little to do, so it fires at most lateness times within
// MaxAge, and at most once in leastPause.
const (
	lateness   = 100
	leastPause = time.Millisecond
)

// awaitAge starts the timer that drops the oldest change when it is too old, unless it runs or the log is empty. The
// caller holds the lock.
func (l *Log[T]) awaitAge(now int64) {
	if l.aging || l.opts.MaxAge <= 0 || l.changes.len() == 0 {
		return
	}
	l.aging = true
	l.expiring.Add(1)
	pause := time.Duration(l.changes.at(0).at-now) + l.opts.MaxAge + 1
	pause = max(pause, l.opts.MaxAge/lateness, leastPause)
	if l.timer == nil {
		l.timer = time.AfterFunc(pause, l.expire)
	} else {
		l.timer.Reset(pause)
	}
}

// expire drops the changes that are too old, a thousand at a time, and starts the timer again if others are left.
func (l *Log[T]) expire() {
	defer l.expiring.Done()
	for more := true; more; {
		var compacted Revision
		compacted, more = l.expireSome(l.opts.Now().UnixNano())
		if l.opts.Aged != nil {
			l.opts.Aged(compacted)
		}
		runtime.Gosched()
	}
}

// expireSome drops some of the changes that are too old. Unlike trim, it does not keep the youngest group: its readers
// had all of MaxAge to read it. more reports whether there are others to drop.
func (l *Log[T]) expireSome(now int64) (compacted Revision, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for enough := l.changes.len() - dropStep; l.changes.len() > 0 && l.tooOld(l.changes.at(0), now); {
		if l.changes.len() <= enough {
			return l.Compacted(), true
		}
		l.dropGroup()
	}
	l.aging = false
	if !l.closed {
		l.awaitAge(now)
	}
	return l.Compacted(), false
}

// tooOld reports whether a change is older than MaxAge.
func (l *Log[T]) tooOld(c *Change[T], now int64) bool {
	return l.opts.MaxAge > 0 && now-c.at > int64(l.opts.MaxAge)
}

// stopAging stops the timer of a closed log. The caller holds the lock.
func (l *Log[T]) stopAging() {
	if l.aging && l.timer.Stop() {
		l.aging = false
		l.expiring.Done()
	}
}
