package watch

// IndexesInUse returns how many indexes Append evaluates, over all resources.
func (l *Log[T]) IndexesInUse() (n int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, uses := range l.indexes {
		n += len(uses)
	}
	return n
}

// Topics returns how many topics the log keeps, so that tests can show that no topic
// outlives its cursors.
func (l *Log[T]) Topics() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.topics)
}
