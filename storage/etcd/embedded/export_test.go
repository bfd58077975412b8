package embedded

import "context"

// Count counts as a running member does every minute, which it no longer does afterwards.
func (s *Store) Count(ctx context.Context) error {
	s.member.stop()
	s.member.running.Wait()
	return s.member.count(ctx)
}

// Crash closes the store, but the member does not count its end, as if its process had been killed.
func (s *Store) Crash() error {
	s.member.stop()
	s.member.running.Wait()
	s.member.counted = tally{}
	return s.Close()
}
