package watch

import "time"

// Stats describes how much a [Log] holds, and since when.
type Stats struct {
	// Changes is the number of changes, and Bytes what they hold, by which [LogOptions].MaxBytes bounds the log.
	Changes int
	Bytes   int64
	// Oldest is when the oldest change was appended. It is zero if the log is empty.
	Oldest time.Time
}

// Stats returns the figures of the log. It takes the same short time for a log of any length.
func (l *Log[T]) Stats() Stats {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s := Stats{Changes: l.changes.len(), Bytes: l.bytes}
	if s.Changes > 0 {
		s.Oldest = time.Unix(0, l.changes.at(0).at)
	}
	return s
}
