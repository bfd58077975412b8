package delivery

import (
	"context"
	"math"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// A request has a place while the API works on it, and there is a limited number of places. It gives its place back
// while it waits for its client: while its body is read, and while its client reads a large answer. Both have limits of
// their own. An answer that is encoded while its client reads does not take its place back, but it takes its seats again
// before it is encoded further. A request that waits for a webhook keeps its place, but only half of the places may wait so. Whoever finds
// out the user of a request may also wait, so that happens before the request has a place.

// share is a limited number of things of one kind. Nobody gets one more while holding as many as are free. So one
// holder gets half of them at most, two get a third each, and somebody who holds nothing gets one until all are in use.
type share struct {
	limit, used int
	by          map[string]int // the keys are holders
}

// take takes n things, or reports that the holder gets none. Only the limit counts for the holder "".
func (s *share) take(holder string, n int) bool {
	free := s.limit - s.used
	if n > free || holder != "" && s.by[holder]+n > max(1, free) {
		return false
	}
	s.used += n
	if holder != "" {
		if s.by == nil {
			s.by = map[string]int{}
		}
		s.by[holder] += n
	}
	return true
}

// give gives n things back.
func (s *share) give(holder string, n int) {
	s.used -= n
	if holder == "" {
		return
	}
	if left := s.by[holder] - n; left > 0 {
		s.by[holder] = left
	} else {
		delete(s.by, holder)
	}
}

// leave gives back what the request has taken.
func (f *Flights) leave(in *Flight) {
	if in.in == nil {
		return
	}
	in.in.give(in.user, in.taken)
	if in.in == &f.places && in.waitsFor != "" {
		f.outside.give(in.waitsFor, 1)
	}
	if in.in == &f.places && in.seats != nil {
		in.seats.Release()
	}
	in.in, in.taken = nil, 0
}

// move exchanges what the request has for one thing of another share, or returns the error to answer with.
func (f *Flights) move(in *Flight, to *share) error {
	if in.exempt {
		return nil
	}
	f.leave(in)
	waits := to == &f.places && in.waitsFor != ""
	if waits && !f.outside.take(in.waitsFor, 1) {
		return crowded()
	}
	if !to.take(in.user, 1) {
		if waits {
			f.outside.give(in.waitsFor, 1)
		}
		return status.TooManyRequests("Too many requests, please try again later.", 1)
	}
	in.in, in.taken = to, 1
	return nil
}

// crowded is the answer to a request that would have to wait for a webhook for which too many wait already.
func crowded() error {
	e := status.ServiceUnavailable("too many requests are waiting for webhooks")
	e.Status.Details = &status.Details{RetryAfterSeconds: 1}
	return e
}

// Holder says how a request counts.
type Holder struct {
	// User is who sends the request, or empty if the API does not know.
	User string
	// Exempt requests need no place.
	Exempt bool
	// WaitsFor names the webhook for which the request may wait all the time that it has a place. It may be empty.
	WaitsFor string
	// Seats are nil if the request needs only its place. A request has them as long as it has a place,
	// except while it waits for a webhook, and after that while its answer is encoded.
	Seats access.Seats
}

// LiftLimit makes the number of places unlimited, because seats limit the requests.
func (f *Flights) LiftLimit() { f.places.limit = math.MaxInt }

// Take gives a request its seats and a place. It waits for the seats.
func (f *Flights) Take(ctx context.Context, in *Flight, h Holder) error {
	in.user, in.exempt, in.waitsFor, in.seats = h.User, h.Exempt, h.WaitsFor, h.Seats
	return f.Resume(ctx, in)
}

// HasSeats reports whether the request takes part in the sharing of seats. Its own goroutine may ask.
func (in *Flight) HasSeats() bool { return in.seats != nil }

// bodyUnit is how many bytes of bodies count as one body, so that a few large bodies count as much as many small ones.
const bodyUnit = 256 << 10

func unitsOf(bytes int64) int { return int(max(1, (bytes+bodyUnit-1)/bodyUnit)) }

// Receive takes the place from a request that begins to read its body.
func (f *Flights) Receive(in *Flight) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.move(in, &f.bodies)
}

// Received counts how many bytes of the body a request has read so far, and returns an error if those of all requests
// are too many.
func (f *Flights) Received(in *Flight, bytes int64) error {
	if bytes <= bodyUnit {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	more := unitsOf(bytes) - in.taken
	if in.in != &f.bodies || more <= 0 {
		return nil
	}
	if !f.bodies.take(in.user, more) {
		return status.TooManyRequests("Too many bytes of requests are under way, please try again later.", 1)
	}
	in.taken += more
	return nil
}

// Resume gives seats and a place back to a request that has read its body. It waits for the seats.
func (f *Flights) Resume(ctx context.Context, in *Flight) error {
	if in.seats != nil {
		if err := in.seats.Take(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.move(in, &f.places)
	if err != nil && in.seats != nil {
		in.seats.Release()
	}
	return err
}

// Deliver takes the place from a request whose client reads a large answer, which may take the client long. If too many
// clients read, the request keeps its place.
func (f *Flights) Deliver(in *Flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.in == &f.places && f.answers.take(in.user, 1) {
		f.leave(in)
		in.in, in.taken = &f.answers, 1
	}
	in.unseat()
}

// Continue takes the seats back for a request that gave them up in Deliver or Stay and that the API has to work on
// again. It waits for the seats until ctx ends.
func (f *Flights) Continue(ctx context.Context, in *Flight) error {
	if f.hasPlace(in) { // too many clients read
		return nil
	}
	if err := in.seats.Continue(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	in.continues = true
	return nil
}

func (f *Flights) hasPlace(in *Flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return in.in == &f.places
}

// unseat takes the seats from a request that has them without a place.
func (in *Flight) unseat() {
	if in.continues {
		in.seats.Release()
		in.continues = false
	}
}

// Abandon takes the place from a request whose client is answered although a hook of the host still works on it, and
// returns how many such requests there are. If they are too many, or too many of one user, the request keeps its place.
func (f *Flights) Abandon(in *Flight) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.in == &f.places && f.stuck.take(in.user, 1) {
		f.leave(in)
		in.in, in.taken = &f.stuck, 1
	}
	in.abandoned = true
	f.abandoned++
	return f.abandoned
}

// Abandoned returns how many requests are abandoned.
func (f *Flights) Abandoned() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.abandoned
}

// WaitOutside registers that somebody begins to wait for a service outside of the process, such as a webhook. It
// returns an error if too many wait, for this service or for all. The caller calls the returned function when the wait
// has ended. Meanwhile the request in, if it is not nil, gives its seats to others.
func (f *Flights) WaitOutside(in *Flight, service string) (done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.outside.take(service, 1) {
		return nil, crowded()
	}
	seated := func() bool {
		return in != nil && in.seats != nil && (in.in == &f.places || in.continues) && in.outside == 0
	}
	if seated() {
		in.seats.Release()
	}
	if in != nil {
		in.outside++
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.outside.give(service, 1)
		if in != nil {
			in.outside--
		}
		if seated() {
			in.seats.Retake()
		}
	}, nil
}
