package rest

import "github.com/decorum-go/decorum/rest/internal/media"

// showLarge adds an event about a whole object that is larger than a chunk, without a copy of it. stored says that the record
// is the one in the store.
func (s *watchStream) showLarge(event media.Event, stored bool) error {
	large, err := s.events.AppendLarge(s.buf, event)
	if err != nil {
		return err
	}
	defer large.Done()
	s.buf = large.Head
	if s.q.holding == nil {
		h := &holding{expired: ownCopy, cut: s.out.cut}
		if stored && large.Stored {
			h.expired, h.final = s.follower.Err, true
		}
		defer s.q.hold(h, len(large.Object)).release()
	}
	s.sendWith(large.Object, large.Tail)
	return nil
}
