package election

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/bits"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// ShardOptions configure [RunShards]. All replicas must use the same Name, Shards, ByNamespace and durations. To change
// them, stop all replicas first.
type ShardOptions struct {
	// Options configure the leases. The leases of the shards have the names NAME-0, NAME-1 and so on. The name of a
	// replica's own lease begins with NAME-member-. RunShards does not call OnLeader.
	Options
	// Shards is the number of shards. Any further replicas have nothing to do. With a few times as many shards as
	// replicas, each replica gets about the same share. Default: 16.
	Shards int
	// ByNamespace keeps all objects of a namespace in one shard. By default, the uid of an object determines its shard.
	ByNamespace bool
}

// Shard is a part of the objects. At most one replica works on it at a time.
type Shard struct {
	// Number is the number of the shard, from 0 to Of-1. Of is the number of shards.
	Number, Of int
	// Epoch grows whenever another replica takes the shard.
	Epoch int32

	byNamespace     bool
	lease, identity string
	leases          rest.Client[builtin.Lease]
}

// ErrTaken is the error of [Shard.Transact] if another replica has taken the shard.
var ErrTaken = errors.New("election: another replica has taken the shard")

// Selector returns the selector of the shard, for controller.InformerOptions and [rest.ListOptions]. The API must serve
// shards ([rest.Options].Sharded).
func (s Shard) Selector() string {
	field := "object.metadata.uid"
	if s.byNamespace {
		field = "object.metadata.namespace"
	}
	begin := func(number int) string {
		if number == s.Of {
			return "0x10000000000000000"
		}
		first, _ := bits.Div64(uint64(number), 0, uint64(s.Of))
		return fmt.Sprintf("0x%016x", first)
	}
	return fmt.Sprintf("shardRange(%s, '%s', '%s')", field, begin(s.Number), begin(s.Number+1))
}

// Transact is like [rest.API.Transact], but commits nothing and returns [ErrTaken] if another replica has taken the
// shard. So a replica that resumes after a suspension changes nothing. The Client of the options must be an in-process
// client of the same API. Transact does not protect effects outside of the API.
func (s Shard) Transact(ctx context.Context, api *rest.API, fn func(ctx context.Context) error) error {
	return api.Transact(ctx, func(ctx context.Context) error {
		lease, err := s.leases.Get(ctx, s.lease)
		switch {
		case status.IsNotFound(err):
			return ErrTaken
		case err != nil:
			return err
		case holderOf(lease) != s.identity || transitionsOf(lease) != s.Epoch:
			return ErrTaken
		}
		return fn(ctx)
	})
}

func transitionsOf(lease *builtin.Lease) int32 {
	if n := lease.Spec.LeaseTransitions; n != nil {
		return *n
	}
	return 0
}

// RunShards works on the shards that fall to this replica, until ctx ends. It calls work for each of these shards
// concurrently. The context of work ends when the shard falls to another replica, when the replica loses the lease of
// the shard, and when ctx ends. work must then stop and return.
//
// Each replica and each shard has a lease. A hash of the replica's identity and the shard's number determines which
// replica works on the shard (rendezvous hashing), so no more shards move than necessary when a replica joins or
// leaves. A replica whose ctx ends hands its shards over at once. If it dies, the others take its shards after
// LeaseDuration.
//
// If work returns while the replica holds the shard, RunShards stops and returns its result. If work returns an error
// after its context has ended, RunShards logs the error. RunShards returns an error if an option is invalid, if work
// panics, or if the client's API in the same process closes. All goroutines that it starts end before it returns.
func RunShards(ctx context.Context, options ShardOptions, work func(ctx context.Context, shard Shard) error) error {
	options.Identity = cmp.Or(options.Identity, rand.Text())
	options.Shards = cmp.Or(options.Shards, 16)
	options.OnLeader = nil
	var err error
	if options.Options, err = options.withDefaults(); err != nil {
		return err
	}
	if options.Shards < 0 {
		return fmt.Errorf("election: the number of shards, %d, is negative", options.Shards)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &replica{ShardOptions: options, work: work, leases: map[string]*candidate{}, held: map[int]*holding{},
		ended: make(chan *holding), events: make(chan rest.Event[builtin.Lease])}
	err = r.run(ctx)
	cancel()
	r.leave(context.WithoutCancel(ctx))
	return err
}

// replica is the state of a call of RunShards. Only the goroutine of that call uses it.
type replica struct {
	ShardOptions
	work   func(context.Context, Shard) error
	leases map[string]*candidate // the last known leases of the members and of the shards
	member candidate             // holds the replica's own lease
	held   map[int]*holding
	ended  chan *holding
	events chan rest.Event[builtin.Lease]
	broken chan error // receives the error that ended the watch; nil if no watch runs
}

// holding is a shard on which the replica works.
type holding struct {
	number int
	stop   context.CancelFunc
	// handsOver is set if the shard falls to another replica or RunShards ends.
	handsOver bool
	err       error
}

func (r *replica) memberPrefix() string { return r.Name + "-member-" }

// nameOf returns the name of the lease of a shard.
func (r *replica) nameOf(shard int) string { return fmt.Sprint(r.Name, "-", shard) }

func (r *replica) run(ctx context.Context) error {
	r.member.Options = r.Options
	r.member.Name = fmt.Sprintf("%s%016x", r.memberPrefix(), hash(r.Identity))
	ticks := time.NewTicker(r.RetryPeriod)
	defer ticks.Stop()
	for {
		if err := r.join(ctx); errors.Is(err, watch.ErrClosed) {
			return err
		} else if err != nil && ctx.Err() == nil {
			r.Logger.Log(ctx, slog.LevelError, "cannot share the shards", "error", err)
		}
		for tick := false; !tick; {
			r.share(ctx)
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
				tick = true
			case event := <-r.events:
				r.see(event)
			case err := <-r.broken:
				r.broken = nil
				r.Logger.Log(ctx, slog.LevelError, "cannot watch the leases", "error", err)
			case h := <-r.ended:
				if returned, err := r.end(ctx, h); returned {
					return err
				}
			}
		}
	}
}

// join renews the replica's own lease, and starts to watch all leases if no watch runs.
func (r *replica) join(ctx context.Context) error {
	attempt, cancel := context.WithTimeout(ctx, r.RenewDeadline)
	defer cancel()
	if _, err := r.member.take(attempt); err != nil {
		return err
	}
	if r.broken != nil {
		return nil
	}
	page, err := r.Client.List(attempt, rest.ListOptions{})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, lease := range page.Items {
		known[lease.Name] = true
		r.observe(lease)
	}
	for name := range r.leases {
		if !known[name] {
			delete(r.leases, name)
		}
	}
	broken := make(chan error, 1)
	r.broken = broken
	go func() {
		for event, err := range r.Client.Follow(ctx, rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
			if err != nil {
				broken <- err
				return
			}
			select {
			case r.events <- event:
			case <-ctx.Done():
			}
		}
	}()
	return nil
}

// see applies an event of the watch.
func (r *replica) see(event rest.Event[builtin.Lease]) {
	if event.Type == apimeta.EventDeleted {
		delete(r.leases, event.Object.Name)
	} else {
		r.observe(event.Object)
	}
}

// observe records the state of a lease.
func (r *replica) observe(lease *builtin.Lease) {
	if !strings.HasPrefix(lease.Name, r.Name+"-") {
		return
	}
	c := r.leases[lease.Name]
	if c == nil {
		c = &candidate{Options: r.Options}
		c.Name = lease.Name
		r.leases[lease.Name] = c
	}
	c.observe(lease)
}

// expired reports whether the candidate has seen no renewal of the lease for the duration of the lease.
func (c *candidate) expired() bool { return time.Since(c.since) > c.durationOf(c.seen) }

// share takes the free shards that fall to the replica, and gives up the shards that fall to other replicas.
func (r *replica) share(ctx context.Context) {
	members := []string{r.Identity}
	for name, c := range r.leases {
		if !strings.HasPrefix(name, r.memberPrefix()) || name == r.member.Name {
			continue
		}
		if holder := holderOf(c.seen); holder != "" && !c.expired() {
			members = append(members, holder)
		}
	}
	for number := range r.Shards {
		mine := winner(members, number) == r.Identity
		switch h := r.held[number]; {
		case h != nil && !mine && !h.handsOver:
			h.handsOver = true
			h.stop()
		case h == nil && mine:
			r.take(ctx, number)
		}
	}
}

// take takes a shard unless another replica holds it.
func (r *replica) take(ctx context.Context, number int) {
	name := r.nameOf(number)
	c := r.leases[name]
	switch {
	case ctx.Err() != nil:
		return
	case c == nil:
		c = &candidate{Options: r.Options}
		c.Name = name
		r.leases[name] = c
	case holderOf(c.seen) != "" && holderOf(c.seen) != r.Identity && !c.expired():
		return
	}
	attempt, cancel := context.WithTimeout(ctx, r.RenewDeadline)
	defer cancel()
	begun, err := c.take(attempt)
	if err != nil || time.Since(begun) >= r.RenewDeadline {
		if c.seen == nil {
			delete(r.leases, name)
		}
		if err != nil && !expected(err) && ctx.Err() == nil {
			r.Logger.Log(ctx, slog.LevelError, "cannot take a shard", "shard", number, "error", err)
		}
		return
	}
	own := *c // a copy, because the term changes it in another goroutine
	shard := Shard{Number: number, Of: r.Shards, Epoch: transitionsOf(c.seen), byNamespace: r.ByNamespace, lease: name,
		identity: r.Identity, leases: r.Client}
	holding := &holding{number: number}
	ctx, holding.stop = context.WithCancel(ctx)
	r.held[number] = holding
	go func() {
		t := &term{candidate: &own, begun: begun}
		holding.err = t.serve(ctx, func(ctx context.Context) error { return r.work(ctx, shard) })
		r.ended <- holding
	}()
}

// end notes that the replica no longer works on a shard. returned reports whether work returned before its context
// ended.
func (r *replica) end(ctx context.Context, h *holding) (returned bool, err error) {
	delete(r.held, h.number)
	h.stop()
	switch {
	case errors.Is(h.err, errLost):
		r.Logger.Log(ctx, slog.LevelError, "lost the lease of a shard", "shard", h.number, "error", h.err)
	case ctx.Err() == nil && !h.handsOver:
		return true, h.err
	case h.err != nil && !errors.Is(h.err, context.Canceled):
		r.Logger.Log(ctx, slog.LevelError, "the work on a shard ended with an error", "shard", h.number, "error", h.err)
	}
	return false, nil
}

// leave stops the work on all shards, removes the replica's own lease, and waits until the leases of the shards are
// released.
func (r *replica) leave(ctx context.Context) {
	for _, h := range r.held {
		h.handsOver = true
		h.stop()
	}
	if lease := r.member.seen; lease != nil {
		removing, cancel := context.WithTimeout(ctx, r.RenewDeadline)
		err := r.Client.Delete(removing, lease.Name, rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &lease.UID}})
		cancel()
		if err != nil && !status.IsNotFound(err) && !errors.Is(err, watch.ErrClosed) {
			r.Logger.Log(ctx, slog.LevelError, "cannot remove the lease of the replica", "error", err)
		}
	}
	for len(r.held) > 0 {
		_, _ = r.end(ctx, <-r.ended)
	}
	for r.broken != nil {
		select {
		case <-r.broken:
			r.broken = nil
		case <-r.events:
		}
	}
}

// winner returns the member that should work on a shard.
func winner(members []string, shard int) (best string) {
	most := uint64(0)
	for _, m := range members {
		if h := hash(fmt.Sprint(m, "/", shard)); best == "" || h > most || h == most && m < best {
			best, most = m, h
		}
	}
	return best
}

// hash returns a number whose bits all depend on the whole text.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text) // a hash never returns an error
	x := h.Sum64()
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9 // the finalizer of SplitMix64
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
