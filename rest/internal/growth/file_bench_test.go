//go:build linux || darwin

package growth_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const (
	// inFile is the environment variable with the number of objects in the file. fileAt names the file. A file that
	// exists with so many objects is used again, because its load takes minutes.
	inFile, fileAt = "DECORUM_OBJECTS", "DECORUM_FILE"
	// fewInFile is the number of objects of the API without a limit for texts.
	fewInFile = 10_000
	// coldPage is how many objects a list of cold objects has.
	coldPage = 10_000
)

// fileRun describes one run of [BenchmarkMoreObjectsThanMemory].
type fileRun struct {
	largeFile
	requests int // how many requests of each kind are measured
}

func newFileRun(t testing.TB) fileRun {
	r := fileRun{largeFile{path: os.Getenv(fileAt), objects: 3000, texts: 1 << 20}, 50}
	if n, err := strconv.Atoi(os.Getenv(inFile)); err == nil {
		r.objects, r.texts, r.requests = n, max(64<<20, min(2<<30, int64(n)*220)), 30_000
	}
	if r.path == "" {
		r.path = filepath.Join(t.TempDir(), "objects.db")
	}
	r.refuseSmallDisk(t)
	return r
}

// say prints a line.
func (r *fileRun) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// perObject is about how many bytes of the file an object takes. A commit of the load takes about perLoaded for each of
// its objects.
const perObject, perLoaded = 4300, 100 * time.Microsecond

// refuseSmallDisk says what the run needs, and ends the test if the file system has no room for the file.
func (r *fileRun) refuseSmallDisk(t testing.TB) {
	if _, err := os.Stat(r.path); err == nil {
		return
	}
	need := int64(r.objects) * perObject
	r.say("%d objects need %d MB in %s, and about %v to be written", r.objects, need>>20, r.path,
		(time.Duration(r.objects) * perLoaded).Round(time.Minute))
	var disk syscall.Statfs_t
	require.NoError(t, syscall.Statfs(filepath.Dir(r.path), &disk))
	require.Less(t, need, int64(disk.Bavail)*int64(disk.Bsize), "the file system of %s is too small", r.path)
}

// BenchmarkMoreObjectsThanMemory measures an API over a file whose texts do not fit into the memory that the store may
// use for them, beside the same API with few objects and beside a handler that reads as many bytes. make growth-file
// prints its table.
func BenchmarkMoreObjectsThanMemory(b *testing.B) {
	run := newFileRun(b)
	began := time.Now()
	if size := run.load(b); size > 0 {
		run.say("| load | %d objects of %d bytes in %.0f s |", run.objects, size, time.Since(began).Seconds())
	}
	before := heaptest.InUse()
	store := run.open(b)
	var api *rest.API
	began = time.Now()
	cost := apitest.ProcessorTime(func() { api = apitest.Start(b, rest.Options{Store: store}, apitest.ThingResource()) })
	took := time.Since(began)
	require.Equal(b, run.objects, api.Stats().Store.Resources["things."+apitest.ThingGroup].Objects)
	heap := heaptest.InUse() - before
	run.say("| file | %d MB, %d of them free |", store.Stats().FileBytes>>20, store.Stats().FreeBytes>>20)
	run.say("| start | %.1f µs of CPU for each object, %.1f s |", float64(cost.Microseconds())/float64(run.objects), took.Seconds())
	run.say("| anonymous memory after the start | %d MB |", anonymous(b)>>20)
	run.say("| heap | %d MB, %d bytes for each object without the texts |", heap>>20,
		(heap-api.Stats().Store.Texts.Bytes)/int64(run.objects))

	few := largeFile{path: filepath.Join(b.TempDir(), "few.db"), objects: min(run.objects, fewInFile)}
	few.load(b)
	small := apitest.Start(b, rest.Options{Store: few.open(b)}, apitest.ThingResource())

	file, err := os.Open(run.path)
	require.NoError(b, err)
	defer file.Close()
	bare := run.bare(b, file)

	hot := make([]int, 100)
	for i := range hot {
		hot[i] = i * few.objects / len(hot)
	}
	hotGet := get(func() string { return thing(hot[rand.IntN(len(hot))]) })
	run.row("hot GET beside few objects", run.times(b, api, hotGet), run.times(b, small, hotGet))
	coldGet := get(func() string { return thing(rand.IntN(run.objects)) })
	run.row("cold GET beside a read of the file", run.times(b, api, coldGet), run.times(b, bare, coldGet))
	pages := run
	pages.requests = max(1, run.requests/10)
	hotPage := get(func() string { return thingsIn(3) + "?limit=500" })
	run.row("hot page of 500 beside few objects", pages.times(b, api, hotPage), pages.times(b, small, hotPage))
	hotPatch := patch(func() string { return thing(hot[rand.IntN(len(hot))]) })
	run.row("hot PATCH beside few objects", pages.times(b, api, hotPatch), pages.times(b, small, hotPatch))
	coldPatch := patch(func() string { return thing(rand.IntN(run.objects)) })
	run.row("cold PATCH beside few objects", pages.times(b, api, coldPatch), pages.times(b, small, hotPatch))
	lists, last := run, 0
	lists.requests = min(namespaces, max(1, run.requests/10))
	// Each list reads another namespace, so that all of its objects are cold.
	list := get(func() string {
		last++
		return fmt.Sprintf("%s?limit=%d", thingsIn(last%namespaces), coldPage)
	})
	lists.row("LIST of cold objects beside a read of the file", lists.times(b, api, list), lists.times(b, bare, list))
	run.say("| anonymous memory | %d MB |", anonymous(b)>>20)
	stats := api.Stats().Store
	require.LessOrEqual(b, stats.Texts.Bytes, run.texts)
	run.say("| texts read from the file | %d |", stats.Texts.Reads)
}

// bare serves as many bytes as an object, or a page of objects, from random places of the file.
func (r *fileRun) bare(t testing.TB, file *os.File) http.Handler {
	info, err := file.Stat()
	require.NoError(t, err)
	const size = 3 << 10
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		at, whole := rand.Int64N(info.Size()-size), int64(size)
		if strings.HasSuffix(q.URL.Path, "/things") {
			whole = min(info.Size(), int64(min(coldPage, r.objects/namespaces))*size)
			at = rand.Int64N(info.Size() - whole + 1)
		}
		_, _ = io.Copy(w, io.NewSectionReader(file, at, whole))
	})
}

// requests makes requests of one kind.
type requests struct {
	method, media string
	target        func() string
	body          func() string
}

func get(target func() string) requests {
	return requests{method: http.MethodGet, target: target, body: func() string { return "" }}
}

// patch changes an object at each request.
func patch(target func() string) requests {
	size := 0
	return requests{method: http.MethodPatch, media: apitest.TypeMergePatch, target: target, body: func() string {
		size++
		return fmt.Sprintf(`{"spec":{"size":%d}}`, 1000+size)
	}}
}

// times returns how long requests take, one after the other, in ascending order.
func (r *fileRun) times(t testing.TB, api http.Handler, of requests) []time.Duration {
	server := httptest.NewServer(api)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	all := make([]time.Duration, 0, r.requests)
	for range r.requests {
		q, err := http.NewRequestWithContext(t.Context(), of.method, server.URL+of.target(), strings.NewReader(of.body()))
		require.NoError(t, err)
		q.Header.Set("Content-Type", of.media)
		began := time.Now()
		answer, err := client.Do(q)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		all = append(all, time.Since(began))
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode)
	}
	slices.Sort(all)
	return all
}

// anonymous returns the bytes of memory of the process that are not pages of files, or 0 if the system does not tell.
func anonymous(t testing.TB) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	text, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	kilobytes, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}

// row prints two kinds of requests beside each other.
func (r *fileRun) row(name string, ours, floor []time.Duration) {
	at := func(all []time.Duration, share float64) float64 {
		return float64(all[int(share*float64(len(all)-1))]) / float64(time.Microsecond)
	}
	r.say("| %s | p50 %.0f beside %.0f µs: %.2f | p99 %.0f beside %.0f µs: %.2f |", name, at(ours, 0.5), at(floor, 0.5),
		at(ours, 0.5)/at(floor, 0.5), at(ours, 0.99), at(floor, 0.99), at(ours, 0.99)/at(floor, 0.99))
}
