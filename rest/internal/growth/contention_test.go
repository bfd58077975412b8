//go:build !race && unix

package growth_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// TestContention says from the profiles of the runtime which locks readers wait for beside writers and watches, and who
// holds these locks meanwhile. Nobody encodes an object or notifies a watch while a reader waits.
func TestContention(t *testing.T) {
	const readers, writers, streams, perWrite = 32, 32, 100, 10
	gets, say := 50, func(string) {}
	if large() {
		gets, say = 5000, func(text string) { fmt.Println(text) }
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	s := apitest.NewThingServer(t, rest.Options{})
	s.Fill(t, readers+writers)
	change(t, patcher(s, apitest.Things+"/"+apitest.OwnName(0)))
	open := openWatches(t, s, func(int) string { return apitest.Things }, streams)
	defer open.close()

	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	var all sync.WaitGroup
	for i := range readers {
		w := apitest.NewThingWriter(s.API, http.MethodGet, apitest.Things+"/"+apitest.OwnName(writers+i), "")
		all.Go(func() { read(t, w, gets) })
	}
	open.expect(writers * gets / perWrite * streams)
	for i := range writers {
		w := patcher(s, apitest.Things+"/"+apitest.OwnName(i))
		all.Go(func() {
			for range gets / perWrite {
				change(t, w)
			}
		})
	}
	all.Wait()
	open.wait()

	waiting, holding := map[string]int64{}, map[string]int64{}
	for _, r := range profile(t, runtime.BlockProfile) {
		if frames := framesOf(r); isLock(frames) && slices.Contains(frames, "growth_test.read") {
			waiting[caller(frames)] += r.Cycles
		}
	}
	for _, r := range profile(t, runtime.MutexProfile) {
		frames := framesOf(r)
		if !isLock(frames) {
			continue
		}
		at := caller(frames)
		holding[at] += r.Cycles
		// A commit alone keeps readers from the store. It does not encode, and leaves it to others to notify watches.
		if !slices.Contains(frames, "sync.(*RWMutex).RUnlock") && strings.HasPrefix(at, "engine.") {
			assert.Equal(t, "engine.(*memory).try", at)
		}
	}
	say(shares("where a GET waits for a lock", waiting))
	say(shares("who holds a lock for which others wait", holding))
	for at := range waiting {
		assert.True(t, at == "engine.(*Engine).Get" || strings.HasPrefix(at, "delivery.(*Flights)."), "a GET waits in %s", at)
	}
}

// read sends GETs. The profile knows readers by this function.
func read(t *testing.T, w *apitest.ThingWriter, gets int) {
	for range gets {
		if w.Send(nil); w.Answer.Bytes < apitest.BenchObject {
			t.Errorf("a GET has failed: %d", w.Answer.Code)
		}
	}
}

// profile returns all records of a profile.
func profile(t *testing.T, of func([]runtime.BlockProfileRecord) (int, bool)) []runtime.BlockProfileRecord {
	for n, _ := of(nil); ; {
		records := make([]runtime.BlockProfileRecord, n+100)
		var complete bool
		if n, complete = of(records); complete {
			return records[:n]
		}
		require.Less(t, n, 1<<20)
	}
}

// framesOf returns the functions of a record, the innermost first, without the directories of their packages.
func framesOf(r runtime.BlockProfileRecord) (functions []string) {
	frames := runtime.CallersFrames(r.Stack())
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		functions = append(functions, f.Function[strings.LastIndex(f.Function, "/")+1:])
	}
	return functions
}

// isLock reports whether the record is about a mutex, and not about a channel or a lock of the runtime.
func isLock(frames []string) bool {
	return strings.HasPrefix(frames[0], "sync.(*Mutex).") || strings.HasPrefix(frames[0], "sync.(*RWMutex).")
}

// caller returns the function that locks or unlocks.
func caller(frames []string) string {
	i := slices.IndexFunc(frames, func(f string) bool { return !strings.HasPrefix(f, "sync.") })
	name, _, _ := strings.Cut(frames[i], ".deferwrap")
	return name
}

// shares returns a table in Markdown.
func shares(title string, of map[string]int64) string {
	all := int64(0)
	for _, cycles := range of {
		all += cycles
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | share of the waits |\n| --- | --- |\n", title)
	for _, name := range slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Compare(of[b], of[a]) }) {
		fmt.Fprintf(&b, "| %s | %.1f %% |\n", name, 100*float64(of[name])/float64(all))
	}
	return b.String()
}
