//go:build unix

package growth_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// watches are open watches without a network.
type watches struct {
	arriving sync.WaitGroup // the events that are expected
	running  sync.WaitGroup
	stop     context.CancelFunc
}

// stream is the answer to a watch.
type stream struct {
	of      *watches
	header  http.Header
	started chan struct{} // closed by the flush of the header
	once    sync.Once
}

func (s *stream) Header() http.Header              { return s.header }
func (s *stream) WriteHeader(int)                  {}
func (s *stream) Flush()                           { s.once.Do(func() { close(s.started) }) }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

func (s *stream) Write(p []byte) (int, error) {
	s.of.arriving.Add(-bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// openWatches opens n watches of the paths, from now on.
func openWatches(t *testing.T, s *apitest.ThingServer, path func(i int) string, n int) *watches {
	w := &watches{}
	ctx, stop := context.WithCancel(t.Context())
	w.stop = stop
	from := "?watch=1&resourceVersion=" + strconv.FormatUint(uint64(s.Store.Revision()), 10)
	for i := range n {
		answer := &stream{of: w, header: http.Header{}, started: make(chan struct{})}
		r := apitest.NewRequest(http.MethodGet, path(i)+from, nil).WithContext(ctx)
		w.running.Go(func() { s.API.ServeHTTP(answer, r) })
		<-answer.started
	}
	return w
}

// expect must come before the changes of which so many events will arrive.
func (w *watches) expect(events int) { w.arriving.Add(events) }

// wait waits for the events.
func (w *watches) wait() { w.arriving.Wait() }

func (w *watches) close() {
	w.stop()
	w.running.Wait()
}

// patcher sends merge patches to a Thing.
func patcher(s *apitest.ThingServer, path string) *apitest.ThingWriter {
	return apitest.NewThingWriter(s.API, http.MethodPatch, path, "application/merge-patch+json")
}

// changed counts the changes, so that each of them changes something.
var changed atomic.Int64

func change(t *testing.T, w *apitest.ThingWriter) {
	assert.Equal(t, http.StatusOK, w.Send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100_000+changed.Add(1))))
}

// withWatches measures writes beside a growing number of watches.
func withWatches(t *testing.T, p plan) []figures {
	f := figures{name: "watches", of: "watches", unit: "µs", aim: 1.1, aimed: 1, at: p.watches}
	for _, n := range p.watches {
		t.Run(fmt.Sprint(n, " watches"), func(t *testing.T) {
			s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxInFlight: 2 * n}})
			s.Fill(t, 1)
			write := patcher(s, apitest.Things+"/n000000")
			change(t, write)
			elsewhere := openWatches(t, s,
				func(i int) string { return fmt.Sprintf("%s/namespaces/other%d/things", apitest.ThingsV1, i) }, n)
			f.add("write that concerns no watch", least(p.operations, again(func() {
				for range p.operations {
					change(t, write)
				}
			})))
			elsewhere.close()
			here := openWatches(t, s, func(int) string { return apitest.Things }, n)
			defer here.close()
			changes := max(1, p.operations/n)
			f.add("write that concerns all, for each watch", least(changes*n, again(func() {
				for range changes {
					here.expect(n)
					change(t, write)
					here.wait()
				}
			})))
		})
	}
	return []figures{f}
}

// withWriters measures writes of a growing number of writers at once, each to an object of its own.
func withWriters(t *testing.T, p plan) []figures {
	f := figures{name: "writers", of: "writers", unit: "µs", at: p.writers}
	for _, n := range p.writers {
		t.Run(fmt.Sprint(n, " writers"), func(t *testing.T) {
			s := apitest.NewThingServer(t, rest.Options{})
			s.Fill(t, n)
			each := max(1, 4*p.operations/n)
			f.add("write", least(each*n, again(func() {
				var all sync.WaitGroup
				for i := range n {
					w := patcher(s, fmt.Sprintf("%s/n%06d", apitest.Things, i))
					all.Go(func() {
						for range each {
							change(t, w)
						}
					})
				}
				all.Wait()
			})))
		})
	}
	return []figures{f}
}
