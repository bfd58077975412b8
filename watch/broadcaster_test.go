package watch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

func ExampleBroadcaster() {
	type job struct{ State string }
	jobs := watch.NewBroadcaster(watch.LogOptions[job]{})
	defer jobs.Close()

	first := watch.Scope{Resource: "jobs", Namespace: "default", Name: "first"}
	queued, running := &job{"queued"}, &job{"running"}
	_, _ = jobs.Publish(first, nil, queued)
	_, _ = jobs.Publish(first, queued, running)
	_, _ = jobs.Publish(first, running, nil)

	everything := watch.Scope{Resource: "jobs"}
	isQueued := func(j *job) bool { return j.State == "queued" }
	for event, err := range jobs.Watch(context.Background(), everything, 0, isQueued) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(event.Revision, event.Type, event.Object.State)
		if event.Type == watch.Deleted {
			break // the job is no longer queued
		}
	}
	// Output:
	// 1 ADDED queued
	// 2 DELETED queued
}

func TestBroadcasterEndsItsWatches(t *testing.T) {
	b := watch.NewBroadcaster(watch.LogOptions[thing]{MaxBytes: func() int64 { return 0 }})
	for range 3 {
		_, err := b.Publish(key("a", "x"), nil, &thing{})
		require.NoError(t, err)
	}
	assert.Equal(t, watch.Revision(3), b.Revision())
	last := func(ctx context.Context, after watch.Revision) (end error) {
		for _, err := range b.Watch(ctx, key("a", "x"), after, nil) {
			end = err
		}
		return end
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, last(ctx, 3), context.Canceled)
	require.True(t, status.IsExpired(last(t.Context(), 1)))

	end := make(chan error)
	go func() { end <- last(context.Background(), 3) }()
	b.Close()
	require.ErrorIs(t, <-end, watch.ErrClosed)
	_, err := b.Publish(key("a", "x"), nil, &thing{})
	require.ErrorIs(t, err, watch.ErrClosed)
}
