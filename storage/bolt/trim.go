package bolt

import (
	"context"
	"encoding/binary"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/watch"
)

const (
	minTrim           = 64
	defaultHistoryAge = 5 * time.Minute
	leastHistoryBytes = 64 << 20
	historyShare      = 4 // by default, the history may hold a quarter of the bytes of the objects
)

// trim drops the oldest groups if the history exceeds its age or size. It stops soon after it has dropped the given
// number of changes.
func (w *writing) trim(most int) error {
	age, limit := w.file.opts.Engine.MaxLogAge, w.file.opts.Engine.MaxLogBytes
	if age == 0 {
		age = defaultHistoryAge
	}
	switch {
	case limit != 0:
	case w.file.opts.TextBytes > 0:
		limit = max(1, w.file.opts.TextBytes/historyShare)
	default:
		limit = max(leastHistoryBytes, w.objectBytes/historyShare)
	}
	if most := w.file.opts.MaxBytes; most > 0 && w.size-w.free > most { // the store is full
		limit = 0
	}
	oldest := w.file.now().Add(-age).UnixMicro()
	return w.drop(most, func(end watch.Revision, at int64) bool {
		return end < w.revision && (at < oldest || w.historyBytes > limit)
	})
}

func (f *file) now() time.Time {
	if f.opts.Engine.Now != nil {
		return f.opts.Engine.Now()
	}
	return time.Now()
}

// drop drops groups from the beginning of the history while they are due. It does not begin another group once it has
// dropped the given number of changes.
func (w *writing) drop(most int, due func(groupEnd watch.Revision, at int64) bool) error {
	cursor := w.tx.Bucket([]byte(historyBucket)).Cursor()
	for key, value := cursor.First(); key != nil; key, value = cursor.First() {
		*w.at = place{revision: binary.BigEndian.Uint64(key)}
		c, err := parseChange(key, value)
		if err != nil {
			return damaged(w.file.path, w.at, "%w", err)
		}
		begun := c.groupEnd == w.oldest
		if !begun && (most <= 0 || !due(c.groupEnd, c.at)) {
			return nil
		}
		most--
		w.oldest = c.groupEnd
		w.historyEntries--
		w.historyBytes -= int64(len(value))
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// Compact implements [engine.Backend].
func (f *file) Compact(ctx context.Context, through watch.Revision) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more := false
		at := &place{}
		err := f.update(at, func(tx *bbolt.Tx, c *committed) error {
			w := writing{file: f, tx: tx, committed: c, at: at}
			before := w.historyEntries
			if err := w.drop(stepRecords, func(end watch.Revision, _ int64) bool { return end <= through }); err != nil {
				return err
			}
			if more = before-w.historyEntries >= stepRecords; !more && w.historyEntries == 0 {
				w.oldest = max(w.oldest, min(through, w.revision))
			}
			return nil
		})
		if err != nil || !more {
			return err
		}
	}
}
