//go:build linux || darwin

package growth_test

import (
	"bytes"
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
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
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

// fileRun describes one run of [TestMoreObjectsThanMemory].
type fileRun struct {
	path     string
	objects  int
	texts    int64 // the limit for texts in memory
	requests int   // how many requests of each kind are measured
	say      func(format string, args ...any)
}

func newFileRun(t *testing.T) fileRun {
	r := fileRun{path: os.Getenv(fileAt), objects: 3000, texts: 1 << 20, requests: 50, say: func(string, ...any) {}}
	if n, err := strconv.Atoi(os.Getenv(inFile)); err == nil {
		r.objects, r.texts, r.requests = n, max(64<<20, min(2<<30, int64(n)*220)), 30_000
		r.say = func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	}
	if r.path == "" {
		r.path = filepath.Join(t.TempDir(), "objects.db")
	}
	r.refuseSmallDisk(t)
	return r
}

// perObject is about how many bytes of the file an object takes. A commit of the load takes about perLoaded for each of
// its objects.
const perObject, perLoaded = 4300, 100 * time.Microsecond

// refuseSmallDisk says what the run needs, and ends the test if the file system has no room for the file.
func (r *fileRun) refuseSmallDisk(t *testing.T) {
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

// TestMoreObjectsThanMemory measures an API over a file whose texts do not fit into the memory that the store may use
// for them. make growth-file prints its table.
func TestMoreObjectsThanMemory(t *testing.T) {
	run := newFileRun(t)
	run.load(t)
	before := heaptest.InUse()
	store := run.open(t)
	var api *rest.API
	began := time.Now()
	cost := apitest.ProcessorTime(func() { api = apitest.Start(t, rest.Options{Store: store}, apitest.ThingResource()) })
	took := time.Since(began)
	require.Equal(t, run.objects, api.Stats().Store.Resources["things."+apitest.ThingGroup].Objects)
	heap := heaptest.InUse() - before
	run.say("| file | %d MB, %d of them free |", store.Stats().FileBytes>>20, store.Stats().FreeBytes>>20)
	run.say("| start | %.1f µs of CPU for each object, %.1f s |", float64(cost.Microseconds())/float64(run.objects), took.Seconds())
	run.say("| anonymous memory after the start | %d MB |", anonymous(t)>>20)
	run.say("| heap | %d MB, %d bytes for each object without the texts |", heap>>20,
		(heap-api.Stats().Store.Texts.Bytes)/int64(run.objects))

	few := fileRun{path: filepath.Join(t.TempDir(), "few.db"), objects: min(run.objects, fewInFile), requests: run.requests, say: run.say}
	few.load(t)
	small := apitest.Start(t, rest.Options{Store: few.open(t)}, apitest.ThingResource())

	file, err := os.Open(run.path)
	require.NoError(t, err)
	defer file.Close()
	bare := run.bare(t, file)

	hot := make([]int, 100)
	for i := range hot {
		hot[i] = i * few.objects / len(hot)
	}
	hotGet := get(func() string { return thing(hot[rand.IntN(len(hot))]) })
	run.row("hot GET beside few objects", run.times(t, api, hotGet), run.times(t, small, hotGet))
	coldGet := get(func() string { return thing(rand.IntN(run.objects)) })
	run.row("cold GET beside a read of the file", run.times(t, api, coldGet), run.times(t, bare, coldGet))
	pages := run
	pages.requests = max(1, run.requests/10)
	hotPage := get(func() string { return thingsIn(3) + "?limit=500" })
	run.row("hot page of 500 beside few objects", pages.times(t, api, hotPage), pages.times(t, small, hotPage))
	hotPatch := patch(func() string { return thing(hot[rand.IntN(len(hot))]) })
	run.row("hot PATCH beside few objects", pages.times(t, api, hotPatch), pages.times(t, small, hotPatch))
	coldPatch := patch(func() string { return thing(rand.IntN(run.objects)) })
	run.row("cold PATCH beside few objects", pages.times(t, api, coldPatch), pages.times(t, small, hotPatch))
	lists, last := run, 0
	lists.requests = min(namespaces, max(1, run.requests/10))
	// Each list reads another namespace, so that all of its objects are cold.
	list := get(func() string {
		last++
		return fmt.Sprintf("%s?limit=%d", thingsIn(last%namespaces), coldPage)
	})
	lists.row("LIST of cold objects beside a read of the file", lists.times(t, api, list), lists.times(t, bare, list))
	run.say("| anonymous memory | %d MB |", anonymous(t)>>20)
	stats := api.Stats().Store
	require.LessOrEqual(t, stats.Texts.Bytes, run.texts)
	run.say("| texts read from the file | %d |", stats.Texts.Reads)
}

// load writes the file, unless it has the objects. It leaves nothing in memory.
func (r *fileRun) load(t *testing.T) {
	// The history of the load would leave free pages, and each commit writes the list of free pages.
	store, err := r.openStore(t, storage.Options{MaxLogBytes: 1 << 20})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	if store.Stats().Objects == int64(r.objects) {
		return
	}
	api, err := rest.New(rest.Options{Store: store}, apitest.ThingResource())
	require.NoError(t, err)
	defer apitest.Close(t, api)
	const name, uid = "n000000000", "00000000-0000-4000-8000-000000000000"
	const sample = "sample"
	w := apitest.NewThingWriter(api, http.MethodPost, thingsIn(0), apitest.TypeJSON)
	require.Equal(t, http.StatusCreated, w.Send(apitest.PaddedThing(sample, apitest.BenchObject)))
	key := storage.Key{Resource: "things." + apitest.ThingGroup, Namespace: "ns0", Name: sample}
	record, err := store.Get(t.Context(), key, storage.MostRecent)
	require.NoError(t, err)
	text, err := record.JSON(t.Context())
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte(record.UID), []byte(uid))
	text = bytes.ReplaceAll(text, []byte(`"`+sample+`"`), []byte(`"`+name+`"`))
	began := time.Now()
	const group = 500
	for from := 0; from < r.objects; from += group {
		var keys []storage.Key
		var next [][]byte
		for n := from; n < min(from+group, r.objects); n++ {
			// The objects of a namespace follow each other, as their keys do in the file.
			namespace := fmt.Sprintf("ns%d", n%namespaces)
			key := storage.Key{Resource: key.Resource, Namespace: namespace, Name: fmt.Sprintf("n%09d", n)}
			one := bytes.Replace(text, []byte(name), []byte(key.Name), 1)
			one = bytes.Replace(one, []byte(`"ns0"`), []byte(`"`+namespace+`"`), 1)
			one = bytes.Replace(one, []byte(uid), fmt.Appendf(nil, "%s%012d", uid[:24], n), 1)
			keys, next = append(keys, key), append(next, one)
		}
		_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) { return next, nil })
		require.NoError(t, err)
	}
	_, err = store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) { return nil, nil })
	require.NoError(t, err)
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	r.say("| load | %d objects of %d bytes in %.0f s |", r.objects, len(text), time.Since(began).Seconds())
}

func (r *fileRun) openStore(t *testing.T, engine storage.Options) (*bolt.Store, error) {
	return bolt.Open(t.Context(), bolt.Options{Path: r.path, TextBytes: r.texts, Engine: engine})
}

// open opens the file until the end of the test.
func (r *fileRun) open(t *testing.T) *bolt.Store {
	store, err := r.openStore(t, storage.Options{})
	require.NoError(t, err)
	return apitest.CloseAtEnd(t, store)
}

// bare serves as many bytes as an object, or a page of objects, from random places of the file.
func (r *fileRun) bare(t *testing.T, file *os.File) http.Handler {
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
func (r *fileRun) times(t *testing.T, api http.Handler, of requests) []time.Duration {
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
func anonymous(t *testing.T) int64 {
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
