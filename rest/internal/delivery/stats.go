package delivery

// Stats are figures of [Flights].
type Stats struct {
	Places, Bodies, Answers, Outside Use
	// Abandoned is how many requests are answered although a hook still works on them.
	Abandoned int
	// Calls is how many calls in process are under way.
	Calls int
}

// Use is how much of a limited number is in use.
type Use struct{ Used, Limit int }

func (s *share) use() Use { return Use{s.used, s.limit} }

// Stats returns the figures, and calls look with every request, while no request begins or ends.
func (f *Flights) Stats(look func(Request)) Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Stats{
		Places: f.places.use(), Bodies: f.bodies.use(), Answers: f.answers.use(), Outside: f.outside.use(),
		Abandoned: f.abandoned, Calls: f.count,
	}
	for in := f.first; in != nil; in = in.behind {
		look(in.request)
		s.Calls--
	}
	return s
}
