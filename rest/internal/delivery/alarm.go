package delivery

import (
	"math/rand/v2"
	"time"
)

const (
	// bookmarkPeriod is the time between two bookmarks of a quiet watch, give or take a quarter.
	bookmarkPeriod = time.Minute
	// lastBookmark is how long before its end a watch sends a last bookmark.
	lastBookmark = 2 * time.Second
)

// alarms wake a watch when something happens, when a bookmark is due, and when the watch ends.
type alarms struct {
	deadline  time.Time
	bookmarks bool
	alarm     chan struct{} // the one channel for everything that wakes the watch; each channel to wait on takes memory
	timer     *time.Timer   // calls wake at next
	next      time.Time     // the time of the next bookmark, or the end
}

// alarmsFor returns the alarms of a watch that lasts as long as the client asks for, or as the server chooses.
func alarmsFor(seconds *int64, bookmarks bool) alarms {
	duration := minWatchTime + rand.N(maxWatchTime-minWatchTime)
	if seconds != nil && *seconds > 0 {
		duration = time.Duration(min(*seconds, int64(24*time.Hour/time.Second))) * time.Second
	}
	return alarms{deadline: time.Now().Add(duration), bookmarks: bookmarks, alarm: make(chan struct{}, 1)}
}

// setTimer sets the timer for the next bookmark or, if no bookmark is left, for the end. The time to the next bookmark
// varies, so that watches do not send theirs together. The last bookmark comes shortly before the end.
func (a *alarms) setTimer() {
	left := time.Until(a.deadline)
	a.next = a.deadline
	if a.bookmarks && left > lastBookmark {
		left = min(bookmarkPeriod*3/4+rand.N(bookmarkPeriod/2), left-lastBookmark)
		a.next = time.Now().Add(left)
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(left, a.wake)
	} else {
		a.timer.Reset(left)
	}
}

// wake makes the watch poll again. It may be called from any goroutine.
func (a *alarms) wake() {
	select {
	case a.alarm <- struct{}{}:
	default:
	}
}

// stop stops the timer.
func (a *alarms) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
