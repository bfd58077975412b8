package fairness_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/cbor"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const acceptCBOR = "application/cbor"

// newEncoded returns an API whose objects are so large that an answer with n of them has many pieces.
func newEncoded(t testing.TB, o fairness.Options, n int, with rest.Options) (http.Handler, *fairness.Limiter) {
	limiter, err := fairness.New(o)
	require.NoError(t, err)
	with.Plugins = []rest.Plugin{limiter}
	widgets := apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
		r.Versions = []rest.VersionOf[apitest.Widget]{
			rest.Converted[apitest.Widget](rest.Resource[apitest.Widget]{Version: "v2"}, nil, nil)}
	})
	h := byHeader(apitest.New(t, with, widgets))
	for i := range n {
		text := make([]byte, 1000)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(text) // so that it remains large when it is compressed
		name := fmt.Sprintf(`"name":"w%d","annotations":{"text":"%x"}`, i, text)
		require.Equal(t, 201, apitest.Do(t, h, "POST", path, apitest.WidgetBody(name), "User", "root").Code)
	}
	return h, limiter
}

// reader is a client that pauses before it takes each piece of an answer.
type reader struct {
	header http.Header
	pause  time.Duration
	takes  func(piece []byte) // called before and after the pause
	got    bytes.Buffer
}

func (r *reader) Header() http.Header              { return r.header }
func (r *reader) WriteHeader(int)                  {}
func (r *reader) Flush()                           {}
func (r *reader) SetWriteDeadline(time.Time) error { return nil }

func (r *reader) Write(p []byte) (int, error) {
	r.takes(p)
	<-time.After(r.pause)
	r.takes(p)
	return r.got.Write(p)
}

// ask begins a request of a reader, and returns a channel that is closed when its answer has ended. An answer that is
// broken off panics, as net/http expects.
func (r *reader) ask(ctx context.Context, h http.Handler, target string, headers ...string) (ended chan bool) {
	r.header = http.Header{}
	if r.takes == nil {
		r.takes = func([]byte) {}
	}
	request := httptest.NewRequestWithContext(ctx, "GET", target, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	ended = make(chan bool, 1)
	go func() {
		defer func() { ended <- recover() == nil }()
		h.ServeHTTP(r, request)
	}()
	return ended
}

// An answer that is encoded or compressed while it is sent has no seats while it waits for its client. It has them again
// when it is encoded further.
func TestSlowAnswersTakeTheirSeatsAgain(t *testing.T) {
	const pieceSize = 64 << 10 // a longer write has several pieces, between which nothing is encoded
	v2 := "/apis/example.com/v2/namespaces/default/widgets"
	for _, c := range []struct {
		name, target string
		headers      []string
		watches      bool
	}{
		{"YAML", path, []string{"Accept", apitest.TypeYAML}, false},
		{"indented", path + "?pretty=1", nil, false},
		{"CBOR", path, []string{"Accept", acceptCBOR}, false},
		{"a table", path, []string{"Accept", apitest.AcceptTable}, false},
		{"a table with objects", path + "?includeObject=Object", []string{"Accept", apitest.AcceptTable}, false},
		{"a converted version", v2, nil, false},
		{"compressed", path + "?limit=1000", []string{"Accept-Encoding", "gzip"}, false},
		{"compressed YAML", path, []string{"Accept", apitest.TypeYAML, "Accept-Encoding", "gzip"}, false},
		{"a watch of tables", path + "?watch=1", []string{"Accept", apitest.AcceptTable}, true},
		{"a watch of CBOR", path + "?watch=1", []string{"Accept", acceptCBOR}, true},
		{"a watch of a converted version", v2 + "?watch=1", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, limiter := newEncoded(t, level(10, 1, 1), 250, rest.Options{CBOR: cbor.Format()})
				seats := func() int { return limiter.State().Levels[0].Seats }
				pieces, before, begins, without := 0, 0, false, []int{}
				r := &reader{pause: time.Second}
				r.takes = func(piece []byte) {
					if begins = !begins; !begins {
						assert.Zero(t, seats(), "piece %d: the client does not take it", pieces)
						before = len(piece)
						return
					}
					if pieces++; before < pieceSize && seats() != 3 {
						without = append(without, pieces)
					}
				}
				ctx, leave := context.WithCancel(t.Context())
				ended := r.ask(ctx, h, c.target, c.headers...)
				<-time.After(time.Minute)
				assert.Greater(t, pieces, 3)
				if len(without) > 0 { // the last piece may be the mere end of a list
					assert.Equal(t, []int{pieces}, without)
				}
				assert.Zero(t, seats())
				if c.watches {
					leave()
				}
				assert.True(t, <-ended)
				leave()
			})
		})
	}
}

// counting is a format that counts how many documents are encoded at once. Each takes a millisecond of the bubble's
// clock.
type counting struct {
	rest.Transcoder
	mu        sync.Mutex
	now, most int
}

func (c *counting) AppendFromJSON(dst, json []byte) ([]byte, error) {
	c.add(1)
	defer c.add(-1)
	<-time.After(time.Millisecond)
	return c.Transcoder.AppendFromJSON(dst, json)
}

func (c *counting) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
}

// With any number of slow clients, the API encodes at most as many answers at once as there are seats, and each client
// gets its whole answer.
func TestNoMoreEncodersThanSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seats, clients = 2, 30
		format := &counting{Transcoder: cbor.Format()}
		h, limiter := newEncoded(t, level(seats, 4, clients), 100, rest.Options{CBOR: format})
		var readers [clients]reader
		var ended [clients]chan bool
		for i := range readers {
			readers[i].pause = time.Duration(20+i) * time.Millisecond
			ended[i] = readers[i].ask(t.Context(), h, path, "Accept", acceptCBOR, "User", fmt.Sprint(i%3))
		}
		for i := range readers {
			assert.True(t, <-ended[i])
			assert.Equal(t, readers[0].got.Bytes(), readers[i].got.Bytes())
		}
		assert.Greater(t, readers[0].got.Len(), 200_000)
		assert.Equal(t, seats, format.most)
		assert.Zero(t, limiter.State().Levels[0].Seats)
	})
}

// An answer that has begun is not refused, even if its queue is full or it waits longer than a new request may. It ends
// when its client leaves.
func TestBegunAnswersWaitForTheirSeats(t *testing.T) {
	for _, c := range []struct {
		name   string
		queues int
	}{{"a short queue", 1}, {"no queue", 0}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const clients = 5
				release := make(chan struct{})
				h, limiter := newEncoded(t, level(1, c.queues, c.queues), 100, rest.Options{
					Admission: []admission.Hook{apitest.Validating("hold", func(_ context.Context, r *admission.Request) error {
						if r.User.Name == "holds" {
							<-release
						}
						return nil
					})}})
				var readers [clients]reader
				var ended [clients]chan bool
				ctx, leave := context.WithCancel(t.Context())
				for i := range readers {
					readers[i].pause = time.Second
					of := t.Context()
					if i == 0 {
						of = ctx
					}
					ended[i] = readers[i].ask(of, h, path, "Accept", apitest.TypeYAML)
					synctest.Wait()
					<-time.After(10 * time.Millisecond) // it waits for its client now
				}
				held := make(chan int, 1)
				go func() { held <- create(t, h, "holds", "held").Code }()
				<-time.After(40 * time.Second) // longer than a new request may wait, and shorter than a write may take
				state := limiter.State().Levels[0]
				assert.Equal(t, clients, state.Waiting)
				assert.Equal(t, 1, state.Requests)
				if c.queues == 0 {
					assert.Equal(t, 429, apitest.Do(t, h, "GET", path+"/w1", "", "User", "another").Code)
				}
				leave()
				assert.False(t, <-ended[0], "its client has left")
				assert.Equal(t, clients-1, limiter.State().Levels[0].Waiting)
				close(release)
				assert.Equal(t, 201, <-held)
				for _, end := range ended[1:] {
					assert.True(t, <-end)
				}
				state = limiter.State().Levels[0]
				assert.Zero(t, state.Seats+state.Requests+state.Waiting+state.WaitingSeats)
				assert.Equal(t, 200, apitest.Do(t, h, "GET", path+"/w1", "").Code)
			})
		})
	}
}

// The end of the API does not wait for a watch that waits for its seats.
func TestAWatchThatWaitsForItsSeatsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter, err := fairness.New(level(1, 1, 9))
		require.NoError(t, err)
		api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{limiter}}, apitest.WidgetResource())
		h := byHeader(api)
		for i := range 100 {
			name := fmt.Sprintf(`w%d","annotations":{"text":"%02000d"},"generateName":"`, i, i)
			require.Equal(t, 201, create(t, h, "root", name).Code)
		}
		r := reader{pause: time.Second}
		watched := r.ask(t.Context(), h, path+"?watch=1", "Accept", apitest.AcceptTable)
		<-time.After(10 * time.Millisecond)
		taken := limiter.Limit(access.LimitedRequest{Access: access.Access{Verb: access.VerbGet, Name: "a"},
			Header: http.Header{}})
		require.NoError(t, taken.Take(t.Context()))
		<-time.After(time.Minute)
		assert.Equal(t, 1, limiter.State().Levels[0].Waiting)
		began := time.Now()
		assert.NoError(t, api.Close())
		assert.True(t, <-watched)
		assert.Zero(t, time.Since(began), "the clock of the bubble stands still")
		taken.Release()
	})
}
