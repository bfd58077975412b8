package clients_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// One of two candidates leads. The other takes over at once if the leader steps down, and after the lease has expired
// if the leader stops renewing.
func TestLeaderElection(t *testing.T) {
	for _, how := range []struct {
		name     string
		stepDown bool
	}{{"steps down", true}, {"falls silent", false}} {
		t.Run(how.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { takeOver(t, inProcess(newHost(t)), how.stepDown) })
		})
	}
}

func takeOver(t *testing.T, h *host, stepDown bool) {
	first := campaign(t, h, "first", stepDown)
	await(t, first.began, "the first leads", func(struct{}) bool { return true })

	second := campaign(t, h, "second", true)
	await(t, second.leaders, "the second knows who leads", func(id string) bool { return id == "first" })
	assert.Empty(t, second.began)

	first.leave()
	left := time.Now()
	await(t, second.began, "the second leads", func(struct{}) bool { return true })
	assert.Equal(t, stepDown, time.Since(left) < leaseDuration/2)
	lease, err := h.typed(t).CoordinationV1().Leases(metav1.NamespaceDefault).Get(t.Context(), "seat", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "second", *lease.Spec.HolderIdentity)
	assert.EqualValues(t, 1, *lease.Spec.LeaseTransitions)
}

// The durations of an election are those of Kubernetes' own controllers.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

type candidate struct {
	began   chan struct{}
	leaders chan string
	leave   func() // leaves, and waits until it has left
}

func campaign(t *testing.T, h *host, id string, stepDown bool) candidate {
	t.Helper()
	c := candidate{began: make(chan struct{}, 1), leaders: make(chan string, 10)}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, metav1.NamespaceDefault, "seat",
		resourcelock.ResourceLockConfig{Identity: id}, h.config, renewDeadline)
	require.NoError(t, err)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: "seat", ReleaseOnCancel: stepDown,
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { c.began <- struct{}{} },
			OnStoppedLeading: func() {},
			OnNewLeader:      func(id string) { c.leaders <- id },
		},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan struct{})
	go func() {
		defer close(left)
		elector.Run(ctx)
	}()
	c.leave = func() {
		cancel()
		<-left
	}
	t.Cleanup(c.leave)
	return c
}
