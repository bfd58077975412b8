package delivery

import (
	"math"

	"github.com/decorum-go/decorum/rest/observe"
)

// use returns how much of the share is in use. Limit is 0 if it is unlimited.
func (s *share) use() observe.Usage {
	if s.limit == math.MaxInt {
		return observe.Usage{Used: s.used}
	}
	return observe.Usage{Used: s.used, Limit: s.limit}
}

// Count adds the figures of the flights to a load, and calls look with every request, while no request begins or ends.
func (f *Flights) Count(load *observe.Load, look func(Request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	load.Places, load.Bodies = f.places.use(), f.bodies.use()
	load.Answers, load.Webhooks = f.answers.use(), f.outside.use()
	load.StuckHooks, load.Calls = f.abandoned, f.count
	for in := f.first; in != nil; in = in.behind {
		look(in.request)
		load.Calls--
	}
}
