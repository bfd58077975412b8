//go:build unix

package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Each benchmark here measures what the library does and, in turns with it, a limit: the least that any program would
// do for the same result. It reports processor time of the whole process, clients included, as the ratio of the two.
// Package rest/internal/limits measures reads and watches over HTTP, without their clients.

// Limit: strict decode and encode of the same 2 KB. Target: 1.5 without managedFields, 2 with them.
func BenchmarkCreate(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 10_000)
	w := apitest.NewThingWriter(s.API, "POST", apitest.Things, apitest.TypeJSON)
	body := apitest.PaddedThing("m000000000", apitest.BenchObject)
	digits := body[bytes.Index(body, []byte("m000000000"))+1:][:9]
	made := 0
	apitest.Compare(b, 1000, func(n int) {
		for range n {
			made++
			copy(digits, fmt.Sprintf("%09d", made))
			if code := w.Send(body); code != http.StatusCreated {
				b.Fatal(code)
			}
		}
	}, apitest.DecodeAndEncode(b, body))
}

// versioned is an object's JSON in the two parts around its resourceVersion.
func versioned(b *testing.B, object []byte) (before, after []byte) {
	const key = `"resourceVersion":"`
	i := bytes.Index(object, []byte(key)) + len(key)
	end := i + bytes.IndexByte(object[i:], '"')
	require.Greater(b, i, len(key))
	return object[:i], object[end:]
}

// Limit: as of a create. Target: 1.8.
func BenchmarkUpdate(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 10_000)
	target := apitest.Things + "/n005000"
	w := apitest.NewThingWriter(s.API, "PUT", target, apitest.TypeJSON)
	object := []byte(s.Do("GET", target, "").Body)
	red := append([]byte(nil), object...)
	green := bytes.Replace(object, []byte(`"size":3`), []byte(`"size":4`), 1)
	require.NotEqual(b, red, green)
	body := []byte(nil)
	updates := 0
	apitest.Compare(b, 1000, func(n int) {
		for range n {
			next := green
			if updates++; updates%2 == 0 {
				next = red
			}
			before, after := versioned(b, next)
			version := s.Store.Revision()
			if updates == 1 {
				version = 5002 // of the object as it was created: the store began at 1
			}
			body = append(strconv.AppendUint(append(body[:0], before...), uint64(version), 10), after...)
			if code := w.Send(body); code != http.StatusOK {
				b.Fatal(code)
			}
		}
	}, apitest.DecodeAndEncode(b, object))
}

// Limit: as of a create. Target: 2.
func BenchmarkPatch(b *testing.B) {
	for _, media := range []string{"application/merge-patch+json", "application/json-patch+json"} {
		b.Run(strings.TrimPrefix(media, "application/"), func(b *testing.B) {
			s := apitest.NewThingServer(b, rest.Options{})
			s.Fill(b, 10_000)
			target := apitest.Things + "/n005000"
			object := []byte(s.Do("GET", target, "").Body)
			w := apitest.NewThingWriter(s.API, "PATCH", target, media)
			patched := 0
			apitest.Compare(b, 1000, func(n int) {
				for range n {
					patched++
					body := fmt.Appendf(nil, `{"spec":{"size":%d}}`, patched%1000)
					if media == "application/json-patch+json" {
						body = fmt.Appendf(nil, `[{"op":"replace","path":"/spec/size","value":%d}]`, patched%1000)
					}
					if code := w.Send(body); code != http.StatusOK {
						b.Fatal(code)
					}
				}
			}, apitest.DecodeAndEncode(b, object))
		})
	}
}

// Limit: strict decode of the body and a comparison of bytes. Target: 1.2; no revision, no event.
func BenchmarkUpdateThatChangesNothing(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 10_000)
	target := apitest.Things + "/n005000"
	w := apitest.NewThingWriter(s.API, "PUT", target, apitest.TypeJSON)
	object := []byte(s.Do("GET", target, "").Body)
	before := s.Store.Revision()
	apitest.Compare(b, 1000, func(n int) {
		for range n {
			if code := w.Send(object); code != http.StatusOK {
				b.Fatal(code)
			}
		}
	}, func(n int) {
		for range n {
			var thing apitest.Thing
			if err := jsonv2.Unmarshal(object, &thing, jsonv2.RejectUnknownMembers(true)); err != nil {
				b.Fatal(err)
			}
		}
	})
	require.Equal(b, before, s.Store.Revision())
}

// bareStreams is a handler of streams. On a signal, each of them writes the same bytes in Writes of 48 KB.
type bareStreams struct {
	mu      sync.Mutex
	payload []byte
	start   chan struct{}
	open    sync.WaitGroup
}

func (s *bareStreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", apitest.TypeJSON)
	w.WriteHeader(http.StatusOK)
	_ = control.Flush()
	for first := true; ; first = false {
		s.mu.Lock()
		start := s.start
		s.mu.Unlock()
		if first {
			s.open.Done()
		}
		select {
		case <-start:
		case <-r.Context().Done():
			return
		}
		for rest := s.payload; len(rest) > 0; {
			n := min(len(rest), 48<<10)
			_, _ = w.Write(rest[:n])
			_ = control.Flush()
			rest = rest[n:]
		}
	}
}

// burst makes all streams write the payload once.
func (s *bareStreams) burst() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.start)
	s.start = make(chan struct{})
}

// streamClients read streams of HTTP/1.0, whose bytes are the payload and nothing else.
type streamClients struct {
	done sync.WaitGroup
	all  []chan int64
}

func openStreams(b *testing.B, address, target string, count int) *streamClients {
	s := &streamClients{}
	var opened sync.WaitGroup
	for range count {
		conn, err := net.Dial("tcp", address)
		require.NoError(b, err)
		b.Cleanup(func() { _ = conn.Close() })
		_, err = fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: x\r\n\r\n", target)
		require.NoError(b, err)
		want := make(chan int64, 1)
		s.all = append(s.all, want)
		opened.Add(1)
		go func() {
			buf := make([]byte, 64<<10)
			head, err := apitest.ReadHead(conn)
			if opened.Done(); err != nil || !strings.Contains(head, "200 OK") {
				b.Error(head, err)
				return
			}
			for left := range want {
				for left > 0 {
					n, err := conn.Read(buf)
					if err != nil {
						b.Error(err)
						break
					}
					left -= int64(n)
				}
				s.done.Done()
			}
		}()
	}
	b.Cleanup(func() {
		for _, want := range s.all {
			close(want)
		}
	})
	opened.Wait()
	return s
}

// read runs send and returns when every client has read so many bytes.
func (s *streamClients) read(bytes int64, send func()) {
	s.done.Add(len(s.all))
	for _, want := range s.all {
		want <- bytes
	}
	send()
	s.done.Wait()
}

// A burst of 100 changes reaches 1,000 watchers over HTTP; an operation is one burst, 100,000 deliveries. Limit:
// streams that write the same bytes, ready, in Writes of 48 KB. Target: 1.5.
func BenchmarkWatchFanOut(b *testing.B) {
	const watchers, changes = 1000, 100
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 1)
	target := apitest.Things + "/n000000"
	w := apitest.NewThingWriter(s.API, "PATCH", target, "application/merge-patch+json")
	server := apitest.Serve(b, s.API)
	version := fmt.Sprint(s.Store.Revision())
	ours := openStreams(b, server.Listener.Addr().String(), apitest.Things+"?watch=1&resourceVersion="+version, watchers)

	events := make([][]byte, changes) // bodies of the patches
	for i := range events {
		events[i] = fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100_000+i)
	}
	require.Equal(b, http.StatusOK, w.Send([]byte(`{"spec":{"size":200000}}`)))
	frame := len(`{"type":"MODIFIED","object":`) + len(s.Do("GET", target, "").Body) + len("}\n")
	ours.read(int64(frame), func() {})

	bare := &bareStreams{start: make(chan struct{})}
	bare.open.Add(watchers)
	bareServer := apitest.Serve(b, bare)
	limit := openStreams(b, bareServer.Listener.Addr().String(), "/", watchers)
	bare.open.Wait()

	var deliveries int
	apitest.Compare(b, 1, func(n int) {
		for range n {
			width := func(at uint64) int64 { return int64(len(strconv.FormatUint(at, 10)) - len(version)) }
			var expect int64
			at := uint64(s.Store.Revision())
			for i := range changes {
				expect += int64(frame) + width(at+uint64(i)+1)
			}
			// metadata.generation grows in width as well.
			expect += generationGrowth(s, target, changes)
			ours.read(expect, func() {
				for _, body := range events {
					if code := w.Send(body); code != http.StatusOK {
						b.Fatal(code)
					}
				}
			})
			deliveries += watchers * changes
			bare.payload = bytes.Repeat([]byte("x"), int(expect))
		}
	}, func(n int) {
		for range n {
			limit.read(int64(len(bare.payload)), bare.burst)
		}
	})
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(max(deliveries, 1)), "ns/delivery")
}

// generationGrowth is by how many digits the next frames are longer than those of generation 2, in all.
func generationGrowth(s *apitest.ThingServer, target string, changes int) (bytes int64) {
	var thing apitest.Thing
	_ = json.Unmarshal([]byte(s.Do("GET", target, "").Body), &thing)
	for i := range changes {
		bytes += int64(len(strconv.FormatInt(thing.Generation+int64(i)+1, 10)) - 1)
	}
	return bytes
}

// Limit: the bytes of the objects' JSON. Target: 1.25.
func BenchmarkMemoryPerObject(b *testing.B) {
	const objects = 10_000
	for b.Loop() {
		var before, after runtime.MemStats
		store := memory.New(storage.Options{})
		api, err := rest.New(rest.Options{Store: store}, apitest.ThingResource())
		require.NoError(b, err)
		s := &apitest.ThingServer{API: api, Store: store}
		s.Fill(b, 1)
		runtime.GC()
		runtime.ReadMemStats(&before)
		size := 0
		w := apitest.NewThingWriter(api, "POST", apitest.Things, apitest.TypeJSON)
		for i := range objects {
			if code := w.Send(apitest.PaddedThing(fmt.Sprintf("m%06d", i), apitest.BenchObject)); code != http.StatusCreated {
				b.Fatal(code)
			}
			size += w.Answer.Bytes
		}
		runtime.GC()
		runtime.GC() // the first one ages the pools, the second one empties them
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(size), "ratio")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/objects, "B/object")
		require.NoError(b, api.Close())
		require.NoError(b, store.Close())
	}
}
