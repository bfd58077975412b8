package fairness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const path = "/apis/example.com/v1/namespaces/default/widgets"

// byHeader takes the name of the user from a header.
func byHeader(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := access.User{Name: r.Header.Get("User")}
		if u.Name == "root" {
			u.Groups = []string{"system:masters"}
		}
		h.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), u)))
	})
}

func newLimited(t testing.TB, o fairness.Options,
	admission ...admission.Hook) (http.Handler, *rest.API, *fairness.Limiter) {
	limiter, err := fairness.New(o)
	require.NoError(t, err)
	api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{limiter}, Admission: admission}, apitest.WidgetResource())
	return byHeader(api), api, limiter
}

// level returns options with one level.
func level(seats, queues, length int) fairness.Options {
	return fairness.Options{Seats: seats, Levels: []fairness.Level{
		{Name: "all", UID: "level-uid", Shares: 1, Queues: queues, HandSize: min(queues, 1), QueueLength: length}}}
}

// holding is an admission hook that holds the write of each object until it may go on.
func holding(release <-chan struct{}) admission.Hook {
	return apitest.Validating("hold", func(ctx context.Context, _ *admission.Request) error {
		<-release
		return nil
	})
}

func create(t testing.TB, h http.Handler, user, name string) apitest.Answer {
	return apitest.Do(t, h, "POST", path, apitest.WidgetBody(`"name":"`+name+`"`), "User", user)
}

// A request beyond the queue is refused at once, and one that waits in it is refused after MaxWait.
func TestRequestsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h, _, limiter := newLimited(t, level(1, 1, 1), holding(release))
		codes := make(chan int, 2)
		go func() { codes <- create(t, h, "a", "a").Code }()
		synctest.Wait()
		began := time.Now()
		waiting := make(chan apitest.Answer, 1)
		go func() { waiting <- apitest.Do(t, h, "GET", path, "", "User", "b") }()
		synctest.Wait()
		full := apitest.Do(t, h, "GET", path, "", "User", "c")
		apitest.WantFailure(t, full, 429, "TooManyRequests", "Too many requests, please try again later.",
			`{"retryAfterSeconds":1}`)
		assert.Equal(t, "1", full.Header.Get("Retry-After"))
		assert.Equal(t, 200, apitest.Do(t, h, "GET", path, "", "User", "root").Code, "the administrators are exempt")
		assert.Equal(t, 200, apitest.Do(t, h, "GET", "/readyz", "").Code, "health checks need no seat")
		assert.Equal(t, 429, (<-waiting).Code)
		assert.Equal(t, 15*time.Second, time.Since(began))
		close(release)
		assert.Equal(t, 201, <-codes)
		state := limiter.State()
		assert.Zero(t, state.Levels[0].Seats+state.Levels[0].Requests+state.Levels[0].Waiting)
		want := fairness.FlowState{Name: "catch-all", Level: "all", Dispatched: 1, QueueFull: 1, TimeOut: 1}
		want.Served.Counts[0], want.Refused.Counts[0] = 2, 1
		want.Refused.Counts[slices.Index(fairness.WaitBounds(), 15*time.Second)], want.Refused.Sum = 1, 15*time.Second
		assert.Equal(t, want, state.Flows[len(state.Flows)-1])
	})
}

// A client that leaves its queue makes room for others.
func TestClientsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h, _, limiter := newLimited(t, level(1, 1, 1), holding(release))
		codes := make(chan int, 2)
		go func() { codes <- create(t, h, "a", "a").Code }()
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			codes <- apitest.Ask(h, apitest.NewRequest("GET", path, nil, "User", "b").WithContext(ctx)).Code
		}()
		synctest.Wait()
		assert.Equal(t, 1, limiter.State().Levels[0].Waiting)
		leave()
		assert.Equal(t, 429, <-codes)
		assert.Zero(t, limiter.State().Levels[0].Waiting)
		close(release)
		assert.Equal(t, 201, <-codes)
	})
}

// Writes that wait for a webhook leave their seats to others, and go on when the webhook has answered.
func TestHangingWebhooksLeaveSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var api *rest.API
		release := make(chan struct{})
		h, served, limiter := newLimited(t, level(1, 1, 1),
			apitest.Validating("hook", func(ctx context.Context, r *admission.Request) error {
				done, err := api.WaitOutside(ctx, "webhook of "+r.User.Name)
				if err != nil {
					return err
				}
				defer done()
				if r.User.Name == "tenant" {
					<-release
				}
				return nil
			}))
		api = served
		codes := make(chan int, 20)
		for i := range 20 {
			go func() { codes <- create(t, h, "tenant", fmt.Sprint("w", i)).Code }()
			synctest.Wait()
		}
		assert.Zero(t, limiter.State().Levels[0].Seats)
		assert.Equal(t, 200, apitest.Do(t, h, "GET", path, "", "User", "b").Code)
		assert.Equal(t, 201, create(t, h, "b", "b").Code, "the webhook of another tenant answers")
		close(release)
		for range 20 {
			assert.Equal(t, 201, <-codes)
		}
		assert.Zero(t, limiter.State().Levels[0].Seats)
	})
}

// A watch needs a seat only while it begins.
func TestOpenWatchesNeedNoSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, limiter := newLimited(t, level(1, 0, 0))
		for range 5 {
			apitest.OpenWatch(t, h, path+"?watch=1")
		}
		assert.Zero(t, limiter.State().Levels[0].Seats)
		assert.Equal(t, 200, apitest.Do(t, h, "GET", path, "").Code)
	})
}

// client is the receiver of an answer. It says how many seats are in use when a piece arrives, and again after a while
// in which it does not take the piece.
type client struct {
	header       http.Header
	seats        func() int
	pause        time.Duration
	first, later int           // seats at the first piece, and after the pause
	last         int           // seats at the last piece
	began        chan struct{} // closed with the first piece
}

func (c *client) Header() http.Header              { return c.header }
func (c *client) WriteHeader(int)                  {}
func (c *client) Flush()                           {}
func (c *client) SetWriteDeadline(time.Time) error { return nil }

func (c *client) Write(p []byte) (int, error) {
	c.last = c.seats()
	select {
	case <-c.began:
	default:
		close(c.began)
		c.first = c.last
		<-time.After(c.pause)
		c.later = c.seats()
	}
	return len(p), nil
}

// A request with a large answer has its seats while the API encodes, compresses and sends the answer, and gives them
// back when it has to wait for its client.
func TestSlowClientsLeaveSeats(t *testing.T) {
	for _, c := range []struct{ name, query, accept string }{
		{"list", "", ""}, {"compressed list", "", "gzip"}, {"list for one client", "?limit=1000", ""}, {"watch", "?watch=1", ""},
	} {
		for _, slow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, slow %t", c.name, slow), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h, _, limiter := newLimited(t, level(10, 1, 1))
					for i := range 250 {
						text := make([]byte, 1000)
						_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(text) // so that it remains large when it is compressed
						create(t, h, "a", fmt.Sprintf(`w%d","annotations":{"text":"%x"},"generateName":"`, i, text))
					}
					answer := &client{header: http.Header{}, began: make(chan struct{}),
						seats: func() int { return limiter.State().Levels[0].Seats }}
					if slow {
						answer.pause = time.Second
					}
					ctx, leave := context.WithCancel(t.Context())
					r := httptest.NewRequestWithContext(ctx, "GET", path+c.query, nil)
					r.Header.Set("Accept-Encoding", c.accept)
					ended := make(chan struct{})
					go func() {
						defer close(ended)
						h.ServeHTTP(answer, r)
					}()
					<-answer.began
					<-time.After(2 * answer.pause)
					synctest.Wait()
					assert.Equal(t, 3, answer.first)
					if slow {
						assert.Zero(t, answer.later)
					} else {
						assert.Equal(t, 3, answer.last)
					}
					assert.Zero(t, limiter.State().Levels[0].Seats, "the watch waits for changes")
					leave()
					<-ended
				})
			})
		}
	}
}

// A list needs a seat for each 100 objects of its resource, at most ten and at most those of its level.
func TestListsCostByTheirObjects(t *testing.T) {
	limiter, err := fairness.New(level(8, 1, 1))
	require.NoError(t, err)
	for _, c := range []struct {
		access  access.Access
		query   map[string][]string
		objects int
		want    int
	}{
		{access.Access{Verb: access.VerbList}, nil, 0, 1},
		{access.Access{Verb: access.VerbList}, nil, 201, 3},
		{access.Access{Verb: access.VerbList}, nil, 100_000, 8},
		{access.Access{Verb: access.VerbList}, map[string][]string{"limit": {"50"}}, 100_000, 1},
		{access.Access{Verb: access.VerbList, LabelSelector: "a=b"}, map[string][]string{"limit": {"50"}}, 500, 5},
		{access.Access{Verb: access.VerbList, Name: "a"}, nil, 500, 1},
		{access.Access{Verb: access.VerbWatch}, nil, 500, 5},
		{access.Access{Verb: access.VerbWatch}, map[string][]string{"resourceVersion": {"7"}}, 500, 1},
		{access.Access{Verb: access.VerbDeleteCollection}, nil, 500, 5},
		{access.Access{Verb: access.VerbGet, Name: "a"}, nil, 500, 1},
	} {
		seats := limiter.Limit(access.LimitedRequest{Access: c.access, Query: c.query, Header: http.Header{},
			Objects: func() int { return c.objects }})
		require.NoError(t, seats.Take(t.Context()))
		assert.Equal(t, c.want, limiter.State().Levels[0].Seats, "%+v", c)
		seats.Release()
	}
}

// Requests belong to the first flow that matches, and their answers name it by its uid.
func TestFlowsMatch(t *testing.T) {
	o := level(10, 4, 10)
	o.Levels = append(o.Levels, fairness.Level{Name: "free", UID: "free-uid", Exempt: true})
	o.Flows = []fairness.Flow{
		{Name: "people", UID: "people-uid", Level: "free", Users: []string{"jane"}, Groups: []string{"people"}},
		{Name: "reads", UID: "reads-uid", Level: "all", Verbs: []string{"get", "list"},
			Resources: []string{"widgets.example.com"}, Namespaces: []string{"default"}},
		{Name: "pages", UID: "pages-uid", Level: "all", Match: func(a access.Access) bool { return a.Path == "/version" }},
	}
	h, _, _ := newLimited(t, o)
	for _, c := range []struct{ path, user, flow, level string }{
		{path, "jane", "people-uid", "free-uid"},
		{path, "joe", "reads-uid", "level-uid"},
		{"/apis/example.com/v1/namespaces/other/widgets", "joe", "", "level-uid"},
		{"/version", "joe", "pages-uid", "level-uid"},
		{"/readyz", "joe", "", ""},
	} {
		a := apitest.Do(t, h, "GET", c.path, "", "User", c.user)
		assert.Equal(t, c.flow, a.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), "%+v", c)
		assert.Equal(t, c.level, a.Header.Get("X-Kubernetes-PF-PriorityLevel-UID"), "%+v", c)
	}
}

// A host's own flows of the names exempt and catch-all take the places of those that every Limiter has.
func TestMandatoryFlowsOfTheHost(t *testing.T) {
	o := level(10, 4, 10)
	o.Levels = append(o.Levels, fairness.Level{Name: "rest", UID: "rest-level", Shares: 1},
		fairness.Level{Name: "exempt", UID: "exempt-level", Exempt: true})
	o.Flows = []fairness.Flow{
		{Name: "exempt", UID: "exempt-flow", Level: "exempt", Users: []string{"jane"}},
		{Name: "catch-all", UID: "rest-flow", Level: "all"},
	}
	h, _, limiter := newLimited(t, o)
	for user, want := range map[string][2]string{
		"jane": {"exempt-flow", "exempt-level"}, "joe": {"rest-flow", "level-uid"}, "root": {"rest-flow", "level-uid"},
	} {
		a := apitest.Do(t, h, "GET", path, "", "User", user)
		got := [2]string{a.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), a.Header.Get("X-Kubernetes-PF-PriorityLevel-UID")}
		assert.Equal(t, want, got, user)
	}
	var names []string
	for _, f := range limiter.State().Flows {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"exempt", "catch-all"}, names)

	o.Flows = o.Flows[1:]
	h, _, _ = newLimited(t, o)
	a := apitest.Do(t, h, "GET", path, "", "User", "root")
	assert.Equal(t, "exempt-level", a.Header.Get("X-Kubernetes-PF-PriorityLevel-UID"),
		"members of system:masters come before a catch-all")
}

func TestConfigurationErrors(t *testing.T) {
	of := func(l fairness.Level) fairness.Options { return fairness.Options{Levels: []fairness.Level{l}} }
	flow := func(f ...fairness.Flow) fairness.Options { return fairness.Options{Flows: f} }
	for want, o := range map[string]fairness.Options{
		"Seats and MaxWait must not be negative":                                                          {Seats: -1},
		`Levels[0] "": Name is empty`:                                                                     of(fairness.Level{}),
		`Levels[0] "a": Shares must be at least 1`:                                                        of(fairness.Level{Name: "a"}),
		`Levels[0] "a": LendablePercent must be between 0 and 100`:                                        of(fairness.Level{Name: "a", Shares: 1, LendablePercent: 101}),
		`Levels[0] "a": BorrowingPercent must not be negative`:                                            of(fairness.Level{Name: "a", Shares: 1, BorrowingPercent: -1}),
		`Levels[0] "a": HandSize must be between 1 and Queues`:                                            of(fairness.Level{Name: "a", Shares: 1, Queues: 2, HandSize: 3, QueueLength: 1}),
		`Levels[0] "a": Queues and QueueLength must be positive, or zero together with HandSize`:          of(fairness.Level{Name: "a", Shares: 1, Queues: 2, HandSize: 1}),
		`Levels[0] "a": too many hands: 10 of 128 queues need 69 bits of a hash, and there are 60`:        of(fairness.Level{Name: "a", Shares: 1, Queues: 128, HandSize: 10, QueueLength: 1}),
		`Levels[0] "a": an exempt level has no limits, so its other fields must be zero`:                  of(fairness.Level{Name: "a", Exempt: true, Shares: 1}),
		"Levels: all levels are exempt, so nothing would be limited":                                      of(fairness.Level{Name: "a", Exempt: true}),
		`Levels[0] "exempt": a level of this name must be exempt`:                                         of(fairness.Level{Name: "exempt", Shares: 1}),
		`Levels[1]: an earlier level has the name "a"`:                                                    {Levels: []fairness.Level{{Name: "a", Shares: 1}, {Name: "a", Shares: 1}}},
		`Flows[0] "": Name is empty`:                                                                      flow(fairness.Flow{}),
		`Flows[0] "f": unknown level "none"`:                                                              flow(fairness.Flow{Name: "f", Level: "none"}),
		`Flows[0] "f": unknown Distinguisher 9`:                                                           flow(fairness.Flow{Name: "f", Level: "global-default", By: 9}),
		`Flows[0] "exempt": the level of a flow of this name must be exempt, and "global-default" is not`: flow(fairness.Flow{Name: "exempt", Level: "global-default"}),
		`Flows[0] "catch-all": a flow of this name must match all requests`:                               flow(fairness.Flow{Name: "catch-all", Level: "global-default", Verbs: []string{"get"}}),
		`Flows[0] "catch-all": a flow of this name must be the last`:                                      flow(fairness.Flow{Name: "catch-all", Level: "global-default"}, fairness.Flow{Name: "f", Level: "global-default"}),
		`Flows[1]: an earlier flow has the name "f"`:                                                      flow(fairness.Flow{Name: "f", Level: "global-default"}, fairness.Flow{Name: "f"}),
	} {
		_, err := fairness.New(o)
		assert.EqualError(t, err, "fairness.New: "+want)
	}
}

// Only one plug-in may limit the requests of an API.
func TestTwoLimitersAreRefused(t *testing.T) {
	a, err := fairness.New(fairness.Options{})
	require.NoError(t, err)
	b, err := fairness.New(fairness.Options{})
	require.NoError(t, err)
	_, err = rest.New(rest.Options{Plugins: []rest.Plugin{a, b}})
	assert.ErrorContains(t, err, `plug-in "fairness" has a Limiter, and so has an earlier one`)
}

// Fairness adds a bounded number of allocations to a read.
func TestAllocationsOfARead(t *testing.T) {
	limiter, err := fairness.New(fairness.Options{})
	require.NoError(t, err)
	allocs := func(o rest.Options) float64 {
		api := apitest.New(t, o, apitest.WidgetResource())
		apitest.CreateWidget(t, api, "a")
		r, w := apitest.NewRequest("GET", path+"/a", nil), &apitest.DiscardWriter{Headers: http.Header{}}
		return testing.AllocsPerRun(200, func() {
			w.Reset()
			api.ServeHTTP(w, r)
		})
	}
	added := allocs(rest.Options{Plugins: []rest.Plugin{limiter}}) - allocs(rest.Options{})
	t.Logf("%.0f allocations", added)
	assert.LessOrEqual(t, added, 5.0)
}
