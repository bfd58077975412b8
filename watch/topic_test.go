package watch_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/watch"
)

func TestTopicGoesWithItsLastCursor(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	first, second := cursorAt(t, log, key("a", "x"), 0), cursorAt(t, log, key("a", "x"), 0)
	other := cursorAt(t, log, key("a", "y"), 0)
	assert.Equal(t, 2, log.Topics())
	first.Close()
	first.Close()
	assert.Equal(t, 2, log.Topics(), "closing a cursor twice counts once")
	second.Close()
	other.Close()
	assert.Zero(t, log.Topics())
}

func TestEveryWaitingCursorIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{})
		defer log.Close()
		var ready []<-chan struct{}
		for range 1000 {
			ready = append(ready, cursorAt(t, log, key("a", "x"), 0).Ready())
		}
		require.NoError(t, log.Append(group(1, key("a", "x"))))
		synctest.Wait()
		for i, r := range ready {
			require.Len(t, r, 1, "the %dth", i)
		}
	})
}

func TestLongLogIsReadWhole(t *testing.T) {
	const length = 20_000
	log := newLog(t, watch.LogOptions[thing]{})
	for r := range watch.Revision(length) {
		require.NoError(t, log.Append(group(r+1, key("a", fmt.Sprint(r%2)))))
	}
	changes, err := log.Since(key("a", "1"), 0)
	require.NoError(t, err)
	require.Len(t, changes, length/2)
	require.Equal(t, watch.Revision(length), changes[len(changes)-1].Revision)
}

// The log grows while a topic is filled. The topic must not lose the changes between the scan and its
// creation.
func TestTopicsMadeWhileOthersWrite(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	object := key("a", "x")
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for r := watch.Revision(1); ; r++ {
			select {
			case <-stop:
				return
			default:
				assert.NoError(t, log.Append(group(r, object)))
			}
		}
	})
	defer writer.Wait()
	defer close(stop)
	for range 300 {
		after := log.Revision() - min(log.Revision(), 5_000)
		log.Compact(after) // bounds the memory of the test; only the reader compacts, so it never expires
		c, err := log.Cursor(object, after)
		require.NoError(t, err)
		for range 40 {
			changes, err := c.Poll(nil)
			require.NoError(t, err)
			for _, change := range changes {
				if after++; change.Revision != after {
					require.Equal(t, after, change.Revision)
				}
			}
		}
		c.Close()
	}
}

func TestForgottenChangesAreFreed(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	cursorAt(t, log, key("a", "x"), 0)
	changes := group(1, key("a", "x"))
	state := weak.Make(changes[0].Current)
	require.NoError(t, log.Append(changes))
	changes = nil
	runtime.GC()
	require.NotNil(t, state.Value())
	log.Compact(1)
	runtime.GC()
	assert.Nil(t, state.Value(), "neither the log nor a topic nor an idle cursor holds the change")
	runtime.KeepAlive(log)
}
