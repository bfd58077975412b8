package watch_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

func TestHistoryEndsByTimeWithoutWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var aged []watch.Revision
		log := newLog(t, watch.LogOptions[thing]{MaxAge: time.Minute,
			Aged: func(compacted watch.Revision) { aged = append(aged, compacted) }})
		require.NoError(t, log.Append(group(1, key("a", "x"), key("a", "y"))))
		behind, err := log.Cursor(watch.Key{Resource: "things"}, 0)
		require.NoError(t, err)
		defer behind.Close()
		current, err := log.Cursor(watch.Key{Resource: "things"}, 2)
		require.NoError(t, err)
		defer current.Close()

		<-time.After(time.Minute)
		synctest.Wait()
		assert.Equal(t, 2, log.Stats().Changes, "exactly as old as allowed")
		<-time.After(time.Nanosecond)
		synctest.Wait()
		assert.Zero(t, log.Stats(), "also the youngest group")
		assert.Equal(t, watch.Revision(2), log.Compacted())
		assert.Equal(t, []watch.Revision{2}, aged)
		_, err = behind.Poll(nil)
		assert.True(t, status.IsExpired(err), "%v", err)
		_, err = log.Since(watch.Key{}, 1)
		assert.True(t, status.IsExpired(err), "%v", err)
		changes, err := current.Poll(nil)
		require.NoError(t, err)
		assert.Empty(t, changes)
		require.NoError(t, log.Append(group(3, key("a", "x"))))
		changes, err = current.Poll(nil)
		require.NoError(t, err)
		assert.Equal(t, []watch.Revision{3}, revisions(changes), "a reader that is up to date loses nothing")
	})
}

func TestEachChangeEndsAtItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t, watch.LogOptions[thing]{MaxAge: time.Minute})
		for r := range watch.Revision(10) {
			require.NoError(t, log.Append(group(r+1, key("a", "x"))))
			<-time.After(time.Second)
		}
		<-time.After(50 * time.Second)
		for left := 10; left > 0; left-- {
			require.Equal(t, left, log.Stats().Changes)
			<-time.After(time.Second)
			synctest.Wait()
		}
		assert.Zero(t, log.Stats().Changes)
	})
}

func TestRestoredHistoryEndsByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t, watch.LogOptions[thing]{Start: 100, Oldest: 10, MaxAge: time.Minute})
		past := watch.Past[thing]{GroupEnd: 50, At: time.Now().Add(-59 * time.Second), Change: group(50, key("a", "x"))[0]}
		require.NoError(t, log.Restore(watch.Key{Resource: "things"}, 10, []watch.Past[thing]{past}))
		assert.Equal(t, 1, log.Stats().Changes)
		<-time.After(time.Second + time.Nanosecond)
		synctest.Wait()
		assert.Zero(t, log.Stats().Changes)
	})
}

// The timer drops a long history in parts, and calls of the clock show when it works.
func TestAgeTimerFiresRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const changes = 100_000
		var calls atomic.Int64
		log := newLog(t, watch.LogOptions[thing]{MaxAge: time.Minute, Now: func() time.Time { calls.Add(1); return time.Now() }})
		for r := range watch.Revision(changes) {
			require.NoError(t, log.Append(group(r+1, key("a", "x"))))
			<-time.After(6 * time.Millisecond) // ten minutes of writes
		}
		assert.Less(t, calls.Load()-changes, int64(10*101), "beside writers it works a hundred times in a minute")
		<-time.After(time.Minute + 600*time.Millisecond)
		synctest.Wait()
		assert.Zero(t, log.Stats().Changes)
		before := calls.Load()
		<-time.After(time.Hour)
		assert.Equal(t, before, calls.Load(), "an empty log has no timer")
	})
}

func TestAgeTimerEndsWithTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls, aged atomic.Int64
		before := runtime.NumGoroutine()
		log := watch.NewLog(watch.LogOptions[thing]{MaxAge: time.Minute, Aged: func(watch.Revision) { aged.Add(1) },
			Now: func() time.Time { calls.Add(1); return time.Now() }})
		require.NoError(t, log.Append(group(1, key("a", "x"))))
		assert.Equal(t, before, runtime.NumGoroutine(), "a timer needs no goroutine")
		<-time.After(time.Minute)
		log.Close()
		log.Close()
		<-time.After(time.Hour)
		synctest.Wait()
		assert.EqualValues(t, 1, calls.Load(), "only Append has asked for the time")
		assert.Zero(t, aged.Load())
		assert.Equal(t, before, runtime.NumGoroutine())
	})
}

func TestCloseWaitsForTheAgeTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, leave := make(chan struct{}), make(chan struct{})
		log := watch.NewLog(watch.LogOptions[thing]{MaxAge: time.Minute, Aged: func(watch.Revision) { close(entered); <-leave }})
		require.NoError(t, log.Append(group(1, key("a", "x"))))
		<-entered
		closed := make(chan struct{})
		go func() { defer close(closed); log.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close has returned while the timer works")
		default:
		}
		close(leave)
		<-closed
	})
}
