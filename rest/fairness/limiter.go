package fairness

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Limiter shares the capacity of one API among its users. It is a plug-in for [rest.Options.Plugins].
type Limiter struct {
	options Options
	seed    maphash.Seed // secret, so that nobody can choose a name that shares the queues of another user

	mu       sync.Mutex
	capacity capacity
	flows    []*flow
}

// flow is a Flow with what happened to its requests.
type flow struct {
	Flow
	level                          *level
	levelUID                       string
	dispatched, full, late, noSeat uint64
}

// New returns a Limiter, or an error if the options are wrong.
func New(options Options) (*Limiter, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("fairness.New: %w", err)
	}
	l := &Limiter{options: o, seed: maphash.MakeSeed()}
	shares := 0
	for _, of := range o.Levels {
		shares += of.Shares
	}
	now := o.Now()
	for _, of := range o.Levels {
		made := &level{name: of.Name, exempt: of.Exempt, at: now}
		l.capacity.levels = append(l.capacity.levels, made)
		if !of.Exempt {
			nominal := (o.Seats*of.Shares + shares - 1) / shares
			l.capacity.configure(now, made, limits{
				nominal: nominal, lendable: nominal * of.LendablePercent / 100, borrowing: nominal * of.BorrowingPercent / 100,
				queues: of.Queues, hand: of.HandSize, length: of.QueueLength,
			})
		}
	}
	for _, f := range o.Flows {
		i := slices.IndexFunc(o.Levels, func(of Level) bool { return of.Name == f.Level })
		l.flows = append(l.flows, &flow{Flow: f, level: l.capacity.levels[i], levelUID: o.Levels[i].UID})
	}
	return l, nil
}

// Plug implements [rest.Plugin].
func (l *Limiter) Plug(*rest.API) (rest.Parts, error) {
	return rest.Parts{Name: "fairness", Limiter: l}, nil
}

// The headers that name the flow of a request. They are uids, so that clients do not learn how the host ranks them.
const (
	headerFlow  = "X-Kubernetes-Pf-Flowschema-Uid"
	headerLevel = "X-Kubernetes-Pf-Prioritylevel-Uid"
)

// Limit implements [rest.Limiter].
func (l *Limiter) Limit(r rest.LimitedRequest) rest.Seats {
	f := l.flows[slices.IndexFunc(l.flows, func(f *flow) bool { return f.matches(&r.Access) })]
	name(r.Header, f)
	s := &seats{limiter: l, flow: f, ticket: ticket{level: f.level, seats: 1}}
	if f.level.exempt {
		return s
	}
	s.ticket.seats = cost(&r)
	s.hash = l.hash(f, &r.Access)
	return s
}

func name(h http.Header, f *flow) {
	if f.UID != "" {
		h[headerFlow] = []string{f.UID}
	}
	if f.levelUID != "" {
		h[headerLevel] = []string{f.levelUID}
	}
}

// hash returns the hash of the flow of an access.
func (l *Limiter) hash(f *flow, a *rest.Access) uint64 {
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

// cost returns how many seats a request needs. A list, and a watch that begins with the existing objects, needs one for each 100 objects.
// A deletion of a collection reads the objects too. A selector or a limit may leave few of them: the server still reads up to all of
// those that a selector leaves out, so only a limit without a selector bounds the cost.
func cost(r *rest.LimitedRequest) int {
	a := &r.Access
	switch a.Verb {
	case rest.VerbList, rest.VerbDeleteCollection:
	case rest.VerbWatch:
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
	if limit, err := strconv.Atoi(r.Query.Get("limit")); err == nil && limit > 0 && a.LabelSelector == "" && a.FieldSelector == "" {
		objects = min(objects, limit)
	}
	return min(max(1, (objects+objectsPerSeat-1)/objectsPerSeat), maxListSeats)
}

// seats are the seats of one request.
type seats struct {
	limiter *Limiter
	flow    *flow
	hash    uint64
	ticket  ticket // protected by Limiter.mu
}

// Take implements [rest.Seats].
func (s *seats) Take(ctx context.Context) error {
	l, t := s.limiter, &s.ticket
	l.mu.Lock()
	if !l.capacity.arrive(l.options.Now(), t, s.hash) {
		if t.level.limits.queues == 0 {
			s.flow.noSeat++
		} else {
			s.flow.full++
		}
		l.mu.Unlock()
		return refused()
	}
	if t.seated {
		s.flow.dispatched++
		l.mu.Unlock()
		return nil
	}
	t.wake = make(chan struct{})
	wake := t.wake
	l.mu.Unlock()
	late := time.NewTimer(l.options.MaxWait)
	defer late.Stop()
	select {
	case <-wake:
	case <-late.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.wake = nil
	if t.seated {
		s.flow.dispatched++
		return nil
	}
	s.flow.late++
	l.capacity.cancel(l.options.Now(), t)
	return refused()
}

// refused is the answer to a request that gets no seats, because its queue is full or because it has waited too long. It is that of
// kube-apiserver in both cases.
func refused() error { return status.TooManyRequests("Too many requests, please try again later.", 1) }

// Retake implements [rest.Seats].
func (s *seats) Retake() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if !s.ticket.seated {
		s.limiter.capacity.force(s.limiter.options.Now(), &s.ticket)
	}
}

// Release implements [rest.Seats].
func (s *seats) Release() {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if s.ticket.seated {
		s.limiter.capacity.finish(s.limiter.options.Now(), &s.ticket)
	}
}
