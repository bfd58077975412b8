package rest

import (
	"runtime"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// largeObject adds an event about a whole object that is larger than a chunk. However many watches send it, they copy it at most once: they
// write it from the store, or from one encoding that they share. stored says that the record is the one in the store.
func (s *watchStream) largeObject(whole surroundings, event watch.EventType, r *storage.Record, at watch.Revision, stored bool) error {
	object := r.JSON
	if _, binary := s.framing.(*binaryFraming); binary || at != r.Revision {
		shared := s.largeEncoding(r, at)
		defer runtime.KeepAlive(shared) // the others find it as long as one of them sends it
		var err error
		if object, err = shared.object(); err != nil {
			return err
		}
		stored = false
	}
	buf, tail, err := whole.around(s.framing.head(s.buf, event, len(object)), object, at)
	if err != nil {
		return err
	}
	s.buf = buf
	if s.q.holding == nil {
		h := &holding{expired: ownCopy, cut: s.out.cut}
		if stored {
			h.expired, h.final = s.follower.Err, true
		}
		defer s.q.hold(h, len(object)).release()
	}
	s.sendWith(object, tail+s.framing.tail())
	return nil
}

// largeEncoding returns the record as it looks at a revision, in the form of the stream.
func (s *watchStream) largeEncoding(r *storage.Record, at watch.Revision) *encoded {
	key := encodingKey{of: r.Revision, at: at}
	binary, _ := s.framing.(*binaryFraming)
	if binary != nil {
		key = binary.key(r, at)
	}
	return s.q.res.encodings.add(key, true, func() ([]byte, error) {
		json := r.JSON
		if at != r.Revision {
			json = r.AppendAt(nil, at)
		}
		if binary == nil {
			return json, nil
		}
		return binary.encode(nil, json)
	})
}
