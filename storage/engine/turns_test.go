package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
)

// An update that takes five times as long as each of its rival gets its turn.
func TestSlowUpdateGetsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(t, storage.Options{})
		put(t, m, "x", 1)
		var calls atomic.Int64
		taking := func(d time.Duration) storage.UpdateFunc {
			return func(*storage.Record) ([]byte, error) {
				<-time.After(d)
				return podJSON("x", int(calls.Add(1)%100)), nil // each call changes the object
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		var rival sync.WaitGroup
		rival.Go(func() {
			for ctx.Err() == nil {
				_, err := m.Update(t.Context(), pod("x"), taking(10*time.Millisecond))
				assert.NoError(t, err)
			}
		})
		for range 100 {
			_, err := m.Update(t.Context(), pod("x"), taking(50*time.Millisecond))
			require.NoError(t, err)
		}
		stop()
		rival.Wait()
	})
}
