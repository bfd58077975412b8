package storage

import (
	"log/slog"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// Options configures a store of this module. The zero value selects the defaults.
type Options struct {
	// Start is the revision of the empty store. The first commit has the next revision. A store that already contains
	// objects starts above its last revision if that is higher. Zero means the clock, in microseconds since 1970. The
	// clock is above every revision of an earlier store, so if a client resumes a watch from such a revision, it gets
	// 410 Expired and lists again. Tests that expect fixed revisions set Start to 1. From 2^53 on, Register and writes
	// fail with [ErrRevision].
	Start watch.Revision
	// MaxLogAge is how long the history keeps a change. Each write drops older changes, about a thousand at most. Without
	// writes, a timer drops them, at most a hundredth of MaxLogAge late. Zero means 5 minutes.
	MaxLogAge time.Duration
	// MaxLogBytes bounds what the changes of the history hold, and wins over MaxLogAge. Zero means 64 MiB or a quarter of
	// the live data, whichever is more. A store with a limit for texts in memory takes a quarter of that limit. Snapshots
	// of old states may hold a quarter of this bound in addition.
	MaxLogBytes int64
	// MaxWait bounds how long a read or a watch waits for a revision that the store has not reached. Zero means 3 seconds.
	MaxWait time.Duration
	// Now is the clock for Start, MaxLogAge and [Record.Written]. Nil means time.Now.
	Now func() time.Time
	// OverwriteNewer permits this program to write objects that a newer version of the program has stored, for example
	// after a rollback. Such a write drops the fields that this program does not know. By default, such writes fail
	// with [ErrReadOnly].
	OverwriteNewer bool
	// Logger receives an error for each object that a replica cannot read. Nil means slog.Default.
	Logger *slog.Logger
	// Ledger returns a new ledger, which limits what the store holds. Replicas of one store must have the same limits.
	// Nil means no limits.
	Ledger func() Ledger
}
