package watch

// IndexesInUse is how many indexes an appended change is asked for, of all resources.
func (l *Log[T]) IndexesInUse() (n int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, uses := range l.indexes {
		n += len(uses)
	}
	return n
}

// Topics is how many topics the log keeps, for tests that they do not outlive their cursors.
func (l *Log[T]) Topics() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.topics)
}
