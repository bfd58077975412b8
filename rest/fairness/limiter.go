package fairness

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/fairness/flowcontrol"
	"github.com/decorum-go/decorum/status"
)

// Limiter shares the capacity of one API among its users. It is a plug-in for [rest.Options.Plugins].
type Limiter struct {
	options Options
	seed    maphash.Seed // secret, so that nobody can choose a name that shares the queues of another user
	flows   atomic.Pointer[flows]

	mu       sync.Mutex
	capacity capacity

	running sync.WaitGroup
}

// flows are the configured flows.
type flows struct {
	inOrder  []*flow
	catchAll *flow // one of inOrder
}

// flow is a Flow with what happened to its requests.
type flow struct {
	Flow
	level    *level
	levelUID string
	counts   *counts
}

// counts are protected by Limiter.mu.
type counts struct {
	tally
	dispatched, full, late, left, noSeat uint64
	served, refused                      Waits
}

// New returns a Limiter, or an error if the options are wrong.
func New(options Options) (*Limiter, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("fairness.New: %w", err)
	}
	l := &Limiter{options: o, seed: maphash.MakeSeed(), capacity: capacity{seats: o.Seats}}
	if o.Objects {
		o.Levels, o.Flows = (&objects{}).configuration()
	}
	l.configure(o.Levels, o.Flows)
	return l, nil
}

// configure replaces the configuration. Requests under way, and those that wait, keep their places. The flow catch-all
// is among the flows; requests that match no other belong to it.
func (l *Limiter) configure(levels []Level, configured []Flow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.capacity.replace(l.options.Now(), levels)
	old, now := l.flows.Load(), new(flows)
	for _, f := range configured {
		level := l.capacity.find(f.Level)
		made := &flow{Flow: f, level: level, levelUID: level.config.UID, counts: new(counts)}
		if before := old.find(f.Name); before != nil && before.Level == f.Level {
			made.counts = before.counts
		}
		now.inOrder = append(now.inOrder, made)
	}
	now.catchAll = now.find(catchAllName)
	l.flows.Store(now)
}

// find returns the flow of a name, or nil.
func (f *flows) find(name string) *flow {
	if f != nil {
		for _, flow := range f.inOrder {
			if flow.Name == name {
				return flow
			}
		}
	}
	return nil
}

// of returns the flow of an access: the first that matches.
func (f *flows) of(a *access.Access) *flow {
	for _, flow := range f.inOrder {
		if flow.matches(a) {
			return flow
		}
	}
	return f.catchAll
}

// Plug implements [rest.Plugin].
func (l *Limiter) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	parts := rest.PluginParts{Name: "fairness", Limiter: l}
	if l.options.Objects {
		parts.Definitions = []rest.Definition{flowcontrol.FlowSchemas(), flowcontrol.PriorityLevelConfigurations()}
		parts.Start = l.start
		parts.Stop = func(ctx context.Context) error { return rest.Wait(ctx, &l.running) }
	}
	return parts, nil
}

// The headers that name the flow of a request. They are uids, so that clients do not learn how the host ranks them.
const (
	headerFlow  = "X-Kubernetes-Pf-Flowschema-Uid"
	headerLevel = "X-Kubernetes-Pf-Prioritylevel-Uid"
)

// Limit implements [access.Limiter].
func (l *Limiter) Limit(r access.LimitedRequest) access.Seats {
	f := l.flows.Load().of(&r.Access)
	f.name(r.Header)
	s := &seats{limiter: l, counts: f.counts, ticket: ticket{level: f.level, tally: &f.counts.tally, seats: 1}}
	if f.level.exempt {
		return s
	}
	s.ticket.seats = cost(&r)
	s.hash = l.hash(f, &r.Access)
	return s
}

// Name writes the headers that name the flow of an access into the header of an answer. [Limiter.Limit] does so for all
// requests that the API asks about. Name is for hosts that answer other requests as kube-apiserver does, which names
// the flows of those too.
func (l *Limiter) Name(h http.Header, a access.Access) { l.flows.Load().of(&a).name(h) }

func (f *flow) name(h http.Header) {
	if f.UID != "" {
		h[headerFlow] = []string{f.UID}
	}
	if f.levelUID != "" {
		h[headerLevel] = []string{f.levelUID}
	}
}

// hash returns the hash of the flow of an access.
func (l *Limiter) hash(f *flow, a *access.Access) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	_, _ = h.WriteString(f.Name)
	_ = h.WriteByte(0)
	switch f.By {
	case ByUser:
		_, _ = h.WriteString(a.User.Name)
	case ByNamespace:
		_, _ = h.WriteString(a.Namespace)
	}
	return h.Sum64()
}

const (
	objectsPerSeat = 100
	maxListSeats   = 10
)

// cost returns how many seats a request needs. A list, and a watch that begins with the existing objects, needs one for
// each 100 objects. A deletion of a collection reads the objects too. A selector or a limit may leave few of them: the
// server still reads up to all of those that a selector leaves out, so only a limit without a selector bounds the cost.
func cost(r *access.LimitedRequest) int {
	a := &r.Access
	switch a.Verb {
	case access.VerbList, access.VerbDeleteCollection:
	case access.VerbWatch:
		if v := r.Query.Get("resourceVersion"); v != "" && v != "0" && r.Query.Get("sendInitialEvents") != "true" {
			return 1
		}
	default:
		return 1
	}
	if a.Name != "" {
		return 1
	}
	objects := r.Objects()
	if limit, err := strconv.Atoi(r.Query.Get("limit")); err == nil && limit > 0 && a.LabelSelector == "" &&
		a.FieldSelector == "" {
		objects = min(objects, limit)
	}
	return min(max(1, (objects+objectsPerSeat-1)/objectsPerSeat), maxListSeats)
}

// seats are the seats of one request.
type seats struct {
	limiter *Limiter
	counts  *counts
	hash    uint64
	ticket  ticket // protected by Limiter.mu
	again   bool   // the request has had its seats before
}

// Take implements [access.Seats].
func (s *seats) Take(ctx context.Context) error {
	l, t := s.limiter, &s.ticket
	l.mu.Lock()
	defer l.mu.Unlock()
	arrived := l.options.Now()
	if !l.capacity.arrive(arrived, t, s.hash) {
		count := &s.counts.full
		if t.level.limits.queues == 0 {
			count = &s.counts.noSeat
		}
		return s.refuse(count, 0)
	}
	return s.await(ctx, arrived, l.options.MaxWait)
}

// Continue implements [access.Seats].
func (s *seats) Continue(ctx context.Context) error {
	l := s.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	arrived := l.options.Now()
	l.capacity.comeBack(arrived, &s.ticket, s.hash)
	return s.await(ctx, arrived, 0)
}

// await waits until the request has its seats, for at most maxWait, or without a limit if maxWait is zero. The caller
// holds the lock, which await gives up while it waits.
func (s *seats) await(ctx context.Context, arrived time.Time, maxWait time.Duration) error {
	l, t := s.limiter, &s.ticket
	if !t.seated {
		t.wake = make(chan struct{})
		l.mu.Unlock()
		count := s.wait(ctx, t.wake, maxWait)
		l.mu.Lock()
		t.wake = nil
		if !t.seated {
			now := l.options.Now()
			l.capacity.cancel(now, t)
			return s.refuse(count, now.Sub(arrived))
		}
	}
	if !s.again {
		s.again = true
		s.counts.dispatched++
	}
	if !t.level.exempt {
		s.counts.served.add(t.began.Sub(arrived))
	}
	return nil
}

// wait waits until wake is closed, for at most maxWait, or without a limit if maxWait is zero. If the wait ends before
// that, it returns what has ended it.
func (s *seats) wait(ctx context.Context, wake <-chan struct{}, maxWait time.Duration) (end *uint64) {
	var late <-chan time.Time
	if maxWait > 0 {
		timer := time.NewTimer(maxWait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-wake:
		return nil
	case <-late:
		return &s.counts.late
	case <-ctx.Done():
		return &s.counts.left
	}
}

// refuse counts a refusal after a wait. In all cases, the answer matches kube-apiserver.
func (s *seats) refuse(count *uint64, waited time.Duration) error {
	*count++
	s.counts.refused.add(waited)
	return status.TooManyRequests("Too many requests, please try again later.", 1)
}

// Retake implements [access.Seats].
func (s *seats) Retake() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if !s.ticket.seated {
		s.limiter.capacity.force(s.limiter.options.Now(), &s.ticket)
	}
}

// Release implements [access.Seats].
func (s *seats) Release() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if s.ticket.seated {
		s.limiter.capacity.finish(s.limiter.options.Now(), &s.ticket)
	}
}
