package election

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// candidate remembers the state of the lease that it saw last.
type candidate struct {
	Options
	seen *builtin.Lease // nil before the first look, and while the lease does not exist
	// since is the local time at which the candidate first saw the current spec of the lease. The holder wrote the spec
	// earlier than that.
	since    time.Time
	reported bool   // whether OnLeader has been called
	leader   string // the identity that OnLeader received last
}

// errHeld means that another candidate holds the lease.
var errHeld = errors.New("another candidate holds the lease")

// campaign tries to take the lease until it succeeds, the context ends or the API closes. It returns the time at which
// the term of the leader begins.
func (c *candidate) campaign(ctx context.Context) (begun time.Time, err error) {
	for {
		attempt, cancel := context.WithTimeout(ctx, c.RenewDeadline)
		begun, err = c.take(attempt)
		cancel()
		switch {
		case err == nil && time.Since(begun) < c.RenewDeadline:
			return begun, nil
		case ctx.Err() != nil:
			return begun, ctx.Err()
		case errors.Is(err, watch.ErrClosed):
			return begun, err
		case err != nil && !expected(err):
			c.Logger.Log(ctx, slog.LevelError, "cannot campaign for the lease", "error", err)
		}
		select {
		case <-time.After(c.RetryPeriod + time.Duration(rand.Float64()*jitter*float64(c.RetryPeriod))):
		case <-ctx.Done():
			return begun, ctx.Err()
		}
	}
}

// expected reports whether an attempt failed because another candidate holds the lease or took it first.
func expected(err error) bool {
	return errors.Is(err, errHeld) || status.IsConflict(err) || status.IsAlreadyExists(err)
}

// take takes the lease if no other candidate holds it.
func (c *candidate) take(ctx context.Context) (begun time.Time, err error) {
	lease, err := c.Client.Get(ctx, c.Name)
	if status.IsNotFound(err) {
		c.seen = nil
		return c.write(ctx, &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: c.Name}})
	}
	if err != nil {
		return time.Time{}, err
	}
	c.observe(lease)
	if holder := holderOf(lease); holder != "" && holder != c.Identity && time.Since(c.since) <= c.durationOf(lease) {
		return time.Time{}, errHeld
	}
	return c.write(ctx, lease)
}

// observe records the state of the lease that the candidate has read or written.
func (c *candidate) observe(lease *builtin.Lease) {
	if c.seen == nil || !reflect.DeepEqual(c.seen.Spec, lease.Spec) {
		c.since = time.Now()
	}
	c.seen = lease
	if holder := holderOf(lease); !c.reported || holder != c.leader {
		c.reported, c.leader = true, holder
		if c.OnLeader != nil {
			c.OnLeader(holder)
		}
	}
}

// durationOf returns the LeaseDuration of the holder of a lease.
func (c *candidate) durationOf(lease *builtin.Lease) time.Duration {
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return c.LeaseDuration
}

// write takes or renews the lease. It fails with a Conflict if the lease has changed since the candidate read it. begun
// is the time before the write; the leader measures RenewDeadline from there.
func (c *candidate) write(ctx context.Context, lease *builtin.Lease) (begun time.Time, err error) {
	begun = time.Now()
	next := *lease
	next.Spec = c.claim(lease, begun)
	var written *builtin.Lease
	if lease.ResourceVersion == "" {
		written, err = c.Client.Create(ctx, &next)
	} else {
		written, err = c.Client.Update(ctx, &next)
	}
	if err != nil {
		return begun, err
	}
	c.observe(written)
	return begun, nil
}

// claim returns the spec with which the candidate takes or renews a lease. The new renewTime shows the other candidates
// that the lease has changed.
func (c *candidate) claim(lease *builtin.Lease, at time.Time) builtin.LeaseSpec {
	now := apimeta.NewMicroTime(at)
	seconds := int32((c.LeaseDuration + time.Second - 1) / time.Second)
	spec := lease.Spec
	if holderOf(lease) != c.Identity {
		var transitions int32
		if spec.LeaseTransitions != nil {
			transitions = *spec.LeaseTransitions
		}
		if lease.ResourceVersion != "" {
			transitions++
		}
		spec.AcquireTime, spec.LeaseTransitions = &now, &transitions
	}
	spec.HolderIdentity, spec.LeaseDurationSeconds, spec.RenewTime = &c.Identity, &seconds, &now
	return spec
}

func holderOf(lease *builtin.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
