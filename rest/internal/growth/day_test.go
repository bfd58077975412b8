//go:build unix

package growth_test

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// TestDayOfWrites writes for a day on a clock that the test moves: a change at a time, and sometimes an object that is
// created and deleted. After the first hour, the heap stays as it is, because the history drops what is old.
func TestDayOfWrites(t *testing.T) {
	const hours, objects, history = 24, 100, 5 * time.Minute
	between := time.Minute // two writes
	dir, say := os.Getenv(directory), func(text string) { fmt.Println(text) }
	if large() {
		between = time.Second
	} else {
		dir, say = t.TempDir(), func(string) {}
	}
	var now atomic.Int64
	now.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	clock := func() time.Time { return time.Unix(0, now.Load()) }
	s := &apitest.ThingServer{Store: memory.New(storage.Options{Now: clock, MaxLogAge: history})}
	t.Cleanup(func() { assert.NoError(t, s.Store.Close()) })
	s.API = apitest.Start(t, rest.Options{Store: s.Store, Now: clock}, apitest.ThingResource())
	s.Fill(t, objects)
	writers := make([]*apitest.ThingWriter, objects)
	for i := range writers {
		writers[i] = patcher(s, fmt.Sprintf("%s/%s", apitest.Things, apitest.OwnName(i)))
	}
	writes, first := 0, 0.0
	f := figures{name: "day", of: "hours", unit: "MB", linear: true, aim: 1.1, aimed: 1}
	for hour := range hours {
		for range int(time.Hour / between) {
			now.Add(int64(between))
			change(t, writers[writes%objects])
			if writes++; writes%10 == 0 {
				name := fmt.Sprint("passing-", writes)
				s.MustCreate(t, name)
				require.Equal(t, http.StatusOK, s.Do(http.MethodDelete, apitest.Things+"/"+name, "").Code)
				writes += 2
			}
		}
		held := float64(heaptest.InUse())
		if hour == 0 {
			first = held
		}
		// A step of the clock is at most three writes.
		assert.LessOrEqual(t, s.API.Stats().Store.History.Changes, 3*int(history/between+1))
		assert.LessOrEqual(t, held, first*1.1+(1<<20), "hour %d", hour+1)
		if hour == 0 || (hour+1)%3 == 0 {
			f.at = append(f.at, hour+1)
			f.add("heap", held/1e6)
		}
	}
	f.publish(t, dir, say)
	say(fmt.Sprintf("A day of %s writes.", grouped(writes)))
}
