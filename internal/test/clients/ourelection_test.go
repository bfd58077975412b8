package clients_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/resttest"
)

// A candidate of client-go and a candidate of package election take turns as the leader, and never lead at the same
// time. The test covers leaders that release the lease and leaders that do not.
func TestElectionsWithClientGo(t *testing.T) { synctest.Test(t, takeTurns) }

func takeTurns(t *testing.T) {
	api, err := rest.New(rest.Options{}, builtin.Leases())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	config := &clientrest.Config{Host: "http://decorum", Transport: rest.RoundTripper(api), QPS: -1}

	s := &seat{T: t, began: make(chan string, 10)}
	ours := func(ctx context.Context) {
		o := election.Options{Client: resttest.Client[builtin.Lease](t, api).Namespace("default"), Name: "seat",
			LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod}
		assert.NoError(t, election.Run(ctx, o, func(ctx context.Context) error { s.lead(ctx, "ours"); return nil }))
	}
	for round, release := range []bool{true, false} {
		leaveFirst := s.run(ours)
		s.awaitLeader("ours")
		leaveSecond := s.run(func(ctx context.Context) {
			lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, metav1.NamespaceDefault, "seat",
				resourcelock.ResourceLockConfig{Identity: fmt.Sprint("theirs-", round)}, config, renewDeadline)
			if !assert.NoError(t, err) {
				return
			}
			var leading sync.WaitGroup
			elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: lock, Name: "seat", ReleaseOnCancel: release,
				LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leading.Go(func() { s.lead(ctx, "theirs") }) },
					OnStoppedLeading: func() {},
				},
			})
			if !assert.NoError(t, err) {
				return
			}
			// client-go releases the lease before its leader has ended, so its context ends only after the leader.
			campaign, leave := context.WithCancel(context.WithoutCancel(ctx))
			defer leave()
			context.AfterFunc(ctx, func() {
				leading.Wait()
				leave()
			})
			elector.Run(campaign)
		})
		leaveFirst()
		s.awaitLeader("theirs")
		leaveThird := s.run(ours)
		leaveSecond()
		s.awaitLeader("ours")
		leaveThird()
	}
}

// seat counts the leaders.
type seat struct {
	*testing.T
	leading atomic.Int32
	began   chan string
}

func (s *seat) lead(ctx context.Context, who string) {
	assert.EqualValues(s, 1, s.leading.Add(1), "two leaders")
	s.began <- who
	<-ctx.Done()
	s.leading.Add(-1)
}

func (s *seat) awaitLeader(want string) {
	s.Helper()
	await(s.T, s.began, want+" lead", func(who string) bool { return assert.Equal(s, want, who) })
}

// run starts a candidate, and returns a function that stops it and waits until it has returned.
func (s *seat) run(candidate func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		candidate(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	s.Cleanup(stop)
	return stop
}
