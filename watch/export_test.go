package watch

// Topics is how many topics the log keeps, for tests that they do not outlive their cursors.
func (l *Log[T]) Topics() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.topics)
}
