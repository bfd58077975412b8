package embedded

import "context"

// Count counts once, like a running member every minute. Afterwards the member no longer counts by itself.
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
