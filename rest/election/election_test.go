package election_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/watch"
)

// seat is an election in a synctest bubble. It counts the leaders.
type seat struct {
	*testing.T
	store   *memory.Store
	leading atomic.Int32
	terms   atomic.Int32
	leases  rest.Client[builtin.Lease]
}

func inSeat(t *testing.T, f func(s *seat)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &seat{T: t, store: memory.New(storage.Options{})}
		s.leases = s.api(s.store)
		defer func() { assert.NoError(t, s.store.Close()) }()
		f(s)
	})
}

// api returns the client of a new API on a store.
func (s *seat) api(store storage.Store) rest.Client[builtin.Lease] {
	api, err := rest.New(rest.Options{Store: store, Logger: slog.New(slog.DiscardHandler)}, builtin.Leases())
	require.NoError(s, err)
	s.Cleanup(func() { assert.NoError(s, api.Close()) })
	return resttest.Client[builtin.Lease](s, api).Namespace("default")
}

func (s *seat) options(id string) election.Options {
	return election.Options{Client: s.leases, Name: "seat", Identity: id, Logger: slog.New(slog.DiscardHandler)}
}

// lead leads until the context ends. It fails the test if another candidate leads at the same time.
func (s *seat) lead(ctx context.Context) error {
	assert.EqualValues(s, 1, s.leading.Add(1), "two leaders")
	s.terms.Add(1)
	<-ctx.Done()
	s.leading.Add(-1)
	return nil
}

// run starts a candidate, and returns a function that stops it and waits for its result.
func (s *seat) run(o election.Options, lead func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- election.Run(ctx, o, lead) }()
	synctest.Wait()
	return func() error {
		cancel()
		return <-ended
	}
}

func (s *seat) lease() *builtin.Lease {
	s.Helper()
	lease, err := s.leases.Get(s.Context(), "seat")
	require.NoError(s, err)
	return lease
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestALeaderHoldsAndRenewsTheLease(t *testing.T) {
	inSeat(t, func(s *seat) {
		var seen, seenBySecond []string
		o := s.options("first")
		o.OnLeader = func(id string) { seen = append(seen, id) }
		began := time.Now()
		stop := s.run(o, s.lead)
		require.EqualValues(t, 1, s.leading.Load())
		spec := s.lease().Spec
		assert.Equal(t, "first", *spec.HolderIdentity)
		assert.EqualValues(t, 15, *spec.LeaseDurationSeconds)
		assert.EqualValues(t, 0, *spec.LeaseTransitions)
		assert.True(t, spec.AcquireTime.Time.Equal(began))
		assert.True(t, spec.RenewTime.Time.Equal(began))
		pass(time.Hour)
		spec = s.lease().Spec
		assert.True(t, spec.AcquireTime.Time.Equal(began))
		assert.True(t, spec.RenewTime.Time.Equal(began.Add(time.Hour)), "it renews every two seconds")

		second := s.options("second")
		second.OnLeader = func(id string) { seenBySecond = append(seenBySecond, id) }
		stopSecond := s.run(second, s.lead)
		pass(time.Hour)
		require.NoError(t, stop())
		assert.Empty(t, *s.lease().Spec.HolderIdentity, "the first releases the lease")
		assert.EqualValues(t, 1, *s.lease().Spec.LeaseDurationSeconds)
		pass(5 * time.Second)
		assert.EqualValues(t, 1, s.leading.Load(), "so the second need not wait until it expires")
		assert.EqualValues(t, 1, *s.lease().Spec.LeaseTransitions)
		require.NoError(t, stopSecond())
		assert.Equal(t, []string{"first", ""}, seen)
		assert.Equal(t, []string{"first", "", "second", ""}, seenBySecond)
	})
}

func TestRunReturnsWhatLeadReturns(t *testing.T) {
	inSeat(t, func(s *seat) {
		failure := errors.New("failure")
		for _, want := range []error{failure, nil} {
			assert.Equal(t, want, election.Run(s.Context(), s.options("a"), func(context.Context) error { return want }))
			assert.Empty(t, *s.lease().Spec.HolderIdentity)
		}
		err := election.Run(s.Context(), s.options("a"), func(context.Context) error { panic("oh") })
		assert.ErrorContains(t, err, "lead panicked: oh")
		assert.Empty(t, *s.lease().Spec.HolderIdentity)

		stop := s.run(s.options("a"), func(ctx context.Context) error {
			<-ctx.Done()
			return failure
		})
		assert.Equal(t, failure, stop())
	})
}

// Until lead has returned, no other candidate leads, even if the context has ended.
func TestTheLeaseIsHeldUntilLeadReturns(t *testing.T) {
	inSeat(t, func(s *seat) {
		slow := func(ctx context.Context) error {
			assert.EqualValues(t, 1, s.leading.Add(1))
			<-ctx.Done()
			pass(time.Minute)
			s.leading.Add(-1)
			return nil
		}
		stop := s.run(s.options("first"), slow)
		stopSecond := s.run(s.options("second"), s.lead)
		began := time.Now()
		require.NoError(t, stop())
		assert.Equal(t, time.Minute, time.Since(began))
		pass(5 * time.Second)
		assert.Equal(t, "second", *s.lease().Spec.HolderIdentity)
		require.NoError(t, stopSecond())
	})
}

// Candidates compete from other processes too.
func TestOverHTTP(t *testing.T) {
	inSeat(t, func(s *seat) {
		api, err := rest.New(rest.Options{Store: s.store}, builtin.Leases())
		require.NoError(t, err)
		defer func() { require.NoError(t, api.Close()) }()
		server := rest.Endpoint{URL: "http://api.example.com", HTTP: &http.Client{Transport: rest.RoundTripper(api)}}
		o := s.options("elsewhere")
		leases, err := rest.ClientForEndpoint(server, builtin.Leases())
		require.NoError(t, err)
		o.Client = leases.Namespace("default")
		stop := s.run(o, s.lead)
		stopSecond := s.run(s.options("here"), s.lead)
		pass(time.Hour)
		assert.Equal(t, "elsewhere", *s.lease().Spec.HolderIdentity)
		require.NoError(t, stop())
		pass(5 * time.Second)
		assert.Equal(t, "here", *s.lease().Spec.HolderIdentity)
		require.NoError(t, stopSecond())
	})
}

// A leader that can no longer write gives up before another candidate leads, and campaigns again.
func TestALeaderThatIsCutOff(t *testing.T) {
	inSeat(t, func(s *seat) {
		faults := &faulty{Store: s.store}
		o := s.options("first")
		o.Client = s.api(faults)
		stop := s.run(o, s.lead)
		stopSecond := s.run(s.options("second"), s.lead)
		pass(time.Minute)
		faults.set(func() (before, after time.Duration, err error) { return 0, 0, errors.New("cut off") })
		pass(8*time.Second - time.Millisecond)
		assert.EqualValues(t, 1, s.leading.Load())
		pass(2*time.Second + time.Millisecond)
		assert.EqualValues(t, 0, s.leading.Load(), "it leads for the renew deadline after the last renewal")
		// The second candidate reads the lease at least every 4.4 seconds. It can notice the last renewal 4.4 seconds late,
		// then waits 15 seconds, and can take another 4.4 seconds to read the lease again: 23.8 seconds in all. Ten of them
		// have passed.
		pass(14 * time.Second)
		assert.Equal(t, "second", *s.lease().Spec.HolderIdentity)
		assert.EqualValues(t, 1, s.leading.Load())
		faults.set(nil)
		require.NoError(t, stopSecond())
		pass(5 * time.Second)
		assert.Equal(t, "first", *s.lease().Spec.HolderIdentity)
		assert.EqualValues(t, 3, s.terms.Load())
		require.NoError(t, stop())
	})
}

// The renew deadline counts from the time at which the leader sent a renewal, because the other candidates may have
// seen it then.
func TestASlowRenewal(t *testing.T) {
	inSeat(t, func(s *seat) {
		faults := &faulty{Store: s.store}
		o := s.options("first")
		o.Client = s.api(faults)
		stop := s.run(o, s.lead)
		pass(time.Minute)
		var calls atomic.Int32
		faults.set(func() (before, after time.Duration, err error) {
			if calls.Add(1) == 1 {
				return 0, 4 * time.Second, nil
			}
			return 0, 0, errors.New("cut off")
		})
		pass(12*time.Second - time.Millisecond) // the renewal is sent after two seconds
		assert.EqualValues(t, 1, s.leading.Load())
		pass(time.Millisecond)
		assert.EqualValues(t, 0, s.leading.Load())
		faults.set(nil)
		require.NoError(t, stop())
	})
}

// A candidate waits for the duration in the lease, which another holder may have chosen longer than its own.
func TestTheHolderChoosesTheDuration(t *testing.T) {
	inSeat(t, func(s *seat) {
		holder, seconds := "elsewhere", int32(60)
		_, err := s.leases.Create(s.Context(), &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: "seat"},
			Spec: builtin.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds}})
		require.NoError(t, err)
		stop := s.run(s.options("here"), s.lead)
		pass(time.Minute)
		assert.EqualValues(t, 0, s.leading.Load())
		pass(5 * time.Second)
		assert.EqualValues(t, 1, s.leading.Load())
		require.NoError(t, stop())
	})
}

// The leader stays in office if the response to its write is lost, and if a client outside the election changes the
// lease.
func TestALeaderRecognizesItsOwnLease(t *testing.T) {
	inSeat(t, func(s *seat) {
		faults := &faulty{Store: s.store, late: true}
		o := s.options("first")
		o.Client = s.api(faults)
		stop := s.run(o, s.lead)
		pass(time.Minute)
		faults.set(func() (before, after time.Duration, err error) { return 0, 0, errors.New("lost") })
		pass(6 * time.Second)
		faults.set(nil)
		pass(time.Minute)
		_, err := s.leases.Modify(s.Context(), "seat",
			func(l *builtin.Lease) error { l.Labels = map[string]string{"a": "b"}; return nil })
		require.NoError(t, err)
		pass(time.Minute)
		assert.EqualValues(t, 1, s.terms.Load())
		assert.Equal(t, "b", s.lease().Labels["a"])
		require.NoError(t, stop())
	})
}

// If another client takes or deletes the lease, the leader stops at the next renewal.
func TestALeaderThatIsDeposed(t *testing.T) {
	for name, c := range map[string]struct {
		depose func(s *seat) error
		after  int32 // the leader after the next renewal
	}{
		"by another holder": {func(s *seat) error { return s.usurp() }, 0},
		"by a deletion":     {func(s *seat) error { return s.leases.Delete(s.Context(), "seat", rest.DeleteOptions{}) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inSeat(t, func(s *seat) {
				stop := s.run(s.options("first"), s.lead)
				pass(time.Minute)
				require.NoError(t, c.depose(s))
				pass(2 * time.Second)
				assert.Equal(t, c.after, s.leading.Load())
				pass(20 * time.Second)
				assert.EqualValues(t, 1, s.leading.Load())
				assert.EqualValues(t, 2, s.terms.Load())
				require.NoError(t, stop())
			})
		})
	}
}

func (s *seat) usurp() error {
	usurper := "usurper"
	_, err := s.leases.Modify(s.Context(), "seat",
		func(l *builtin.Lease) error { l.Spec.HolderIdentity = &usurper; return nil })
	return err
}

// If another client takes the lease while lead is stopping, the leader must not take it back.
func TestALeaderThatIsDeposedWhileItStops(t *testing.T) {
	inSeat(t, func(s *seat) {
		stop := s.run(s.options("first"), func(ctx context.Context) error {
			<-ctx.Done()
			err := s.usurp()
			pass(5 * time.Second) // two renewals
			return err
		})
		require.NoError(t, stop())
		assert.Equal(t, "usurper", *s.lease().Spec.HolderIdentity)
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(o *election.Options)
		want   string
	}{
		{func(o *election.Options) { o.Name = "" }, "the lease has no name"},
		{func(o *election.Options) { o.LeaseDuration = 10 * time.Second },
			"LeaseDuration 10s must be longer than RenewDeadline 10s"},
		{func(o *election.Options) { o.RetryPeriod = 9 * time.Second },
			"RenewDeadline 10s must be longer than 1.2 times RetryPeriod 9s"},
		{func(o *election.Options) { o.RetryPeriod = -1 }, "RetryPeriod -1ns is negative"},
	} {
		o := election.Options{Name: "seat"}
		c.change(&o)
		assert.EqualError(t, election.Run(t.Context(), o, nil), "election: "+c.want)
	}
}

func TestRunEndsWithTheAPI(t *testing.T) {
	api, err := rest.New(rest.Options{}, builtin.Leases())
	require.NoError(t, err)
	require.NoError(t, api.Close())
	o := election.Options{Client: resttest.Client[builtin.Lease](t, api).Namespace("default"), Name: "seat"}
	err = election.Run(t.Context(), o, nil)
	assert.ErrorIs(t, err, watch.ErrClosed)
	assert.True(t, status.IsServiceUnavailable(err), "%v", err)
}

// faulty is a store behind a bad connection.
type faulty struct {
	*memory.Store
	fault atomic.Pointer[func() (before, after time.Duration, err error)]
	late  bool // writes are carried out before they fail
}

func (f *faulty) set(fault func() (before, after time.Duration, err error)) {
	if fault == nil {
		f.fault.Store(nil)
		return
	}
	f.fault.Store(&fault)
}

func (f *faulty) next() (before, after time.Duration, err error) {
	if fault := f.fault.Load(); fault != nil {
		return (*fault)()
	}
	return 0, 0, nil
}

func (f *faulty) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	before, after, failure := f.next()
	<-time.After(before)
	r, err := f.Store.Get(ctx, key, atLeast)
	<-time.After(after)
	if failure != nil && !f.late {
		return nil, failure
	}
	return r, err
}

func (f *faulty) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	before, after, failure := f.next()
	<-time.After(before)
	if failure != nil && !f.late {
		return nil, failure
	}
	r, err := f.Store.Update(context.WithoutCancel(ctx), key, fn)
	<-time.After(after)
	if failure != nil {
		return nil, failure
	}
	return r, err
}

// Reads and writes are slow or fail, and candidates come and go at random. Two candidates never lead at once. Once the
// connections work again, one candidate leads.
func TestElectionModel(t *testing.T) {
	for seed := range uint64(50) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inSeat(t, func(s *seat) { contest(s, rand.New(rand.NewPCG(seed, 3))) })
		})
	}
}

func contest(s *seat, random *rand.Rand) {
	const candidates = 4
	var connections [candidates]*faulty
	var stops [candidates]func() error
	for i := range connections {
		connections[i] = &faulty{Store: s.store, late: i%2 == 0}
	}
	start := func(i int) {
		o := s.options(fmt.Sprint("candidate-", i))
		o.Client = s.api(connections[i])
		stops[i] = s.run(o, s.lead)
	}
	for range 60 {
		i := random.IntN(candidates)
		switch what := random.IntN(10); {
		case what < 2 && stops[i] == nil:
			start(i)
		case what < 3 && stops[i] != nil:
			require.NoError(s, stops[i]())
			stops[i] = nil
		case what < 6:
			worst, share, seed := time.Duration(1+random.IntN(25_000))*time.Millisecond, random.IntN(4), random.Uint64()
			var calls atomic.Uint64
			connections[i].set(func() (before, after time.Duration, err error) {
				each := rand.New(rand.NewPCG(seed, calls.Add(1)))
				if each.IntN(4) < share {
					err = errors.New("connection lost")
				}
				return time.Duration(each.Int64N(int64(worst))), time.Duration(each.Int64N(int64(worst))), err
			})
		case what < 7:
			connections[i].set(nil)
		default:
			pass(time.Duration(random.IntN(30_000)) * time.Millisecond)
		}
	}
	for i := range connections {
		connections[i].set(nil)
		if stops[i] == nil {
			start(i)
		}
	}
	pass(2 * time.Minute) // a call may still take 50 seconds, and the lease may then have to expire
	assert.EqualValues(s, 1, s.leading.Load(), "somebody leads")
	for _, stop := range stops {
		require.NoError(s, stop())
	}
	assert.EqualValues(s, 0, s.leading.Load())
}
