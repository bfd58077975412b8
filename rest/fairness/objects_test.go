package fairness_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

const (
	group   = "/apis/flowcontrol.apiserver.k8s.io/v1/"
	levels  = group + "prioritylevelconfigurations"
	schemas = group + "flowschemas"
)

// configured is an API that its objects configure.
type configured struct {
	t       *testing.T
	handler http.Handler
	api     *rest.API
	limiter *fairness.Limiter
}

func newConfigured(t *testing.T, seats int, admission ...admission.Hook) *configured {
	h, api, limiter := newLimited(t, fairness.Options{Seats: seats, Objects: true}, admission...)
	require.NoError(t, api.Start(t.Context()))
	return &configured{t: t, handler: h, api: api, limiter: limiter}
}

// do sends a request as a member of system:masters, and waits until its effect has been followed.
func (c *configured) do(method, path, body string, headers ...string) apitest.Answer {
	c.t.Helper()
	a := apitest.Do(c.t, c.handler, method, path, body, append([]string{"User", "root"}, headers...)...)
	synctest.Wait()
	return a
}

// must does what has to succeed, and returns the uid of the object.
func (c *configured) must(method, path, body string, headers ...string) string {
	c.t.Helper()
	a := c.do(method, path, body, headers...)
	require.Less(c.t, a.Code, 300, a.Body)
	if method == "DELETE" {
		return ""
	}
	return a.Text(c.t, "metadata.uid")
}

// flowOf returns the uids of the schema and of the level that the answer to a user names.
func (c *configured) flowOf(user, path string) [2]string {
	a := apitest.Do(c.t, c.handler, "GET", path, "", "User", user)
	return [2]string{a.Header.Get("X-Kubernetes-PF-FlowSchema-UID"), a.Header.Get("X-Kubernetes-PF-PriorityLevel-UID")}
}

// levelState returns the state of a level. Its name is empty if the level does not exist.
func (c *configured) levelState(name string) fairness.LevelState {
	for _, l := range c.limiter.State().Levels {
		if l.Name == name {
			return l
		}
	}
	return fairness.LevelState{}
}

// queueing returns the body of a level with one queue.
func queueing(name string, shares, length int) string {
	return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":%q},"spec":{"type":"Limited",
		"limited":{"nominalConcurrencyShares":%d,"borrowingLimitPercent":0,"limitResponse":{"type":"Queue","queuing":{"queues":1,"handSize":1,"queueLengthLimit":%d}}}}}`,
		name, shares, length)
}

// schemaOf returns the body of a schema that sends everything of a user to a level.
func schemaOf(name, level, user string, precedence int) string {
	return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":%q},"spec":{"matchingPrecedence":%d,
		"priorityLevelConfiguration":{"name":%q},"rules":[{"subjects":[{"kind":"User","user":{"name":%q}}],
		"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],"clusterScope":true}],
		"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}}`, name, precedence, level, user)
}

const dangling = `status.conditions.0.status`

// holdingWidgets holds writes of widgets until they may go on.
func holdingWidgets(release <-chan struct{}) admission.Hook {
	return apitest.Validating("hold", func(_ context.Context, r *admission.Request) error {
		if r.Resource.Resource == "widgets" {
			<-release
		}
		return nil
	})
}

// The objects that Kubernetes always has exist, come back, and have a fixed meaning.
func TestMandatoryObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConfigured(t, 600)
		for _, path := range []string{levels + "/exempt", levels + "/catch-all", schemas + "/exempt",
			schemas + "/catch-all"} {
			uid := c.must("GET", path, "")
			c.must("DELETE", path, "")
			assert.NotEqual(t, uid, c.must("GET", path, ""), path)
		}
		assert.Equal(t, "False", c.do("GET", schemas+"/catch-all", "").Text(t, dangling))
		assert.Equal(t, [2]string{c.must("GET", schemas+"/exempt", ""), c.must("GET", levels+"/exempt", "")},
			c.flowOf("root", path))
		catchAll := [2]string{c.must("GET", schemas+"/catch-all", ""), c.must("GET", levels+"/catch-all", "")}
		assert.Equal(t, catchAll, c.flowOf("jane", path))
		assert.Equal(t, 600, c.levelState("catch-all").NominalSeats)

		const patch = "application/merge-patch+json"
		a := c.do("PATCH", schemas+"/exempt", `{"spec":{"matchingPrecedence":2}}`, "Content-Type", patch)
		assert.Equal(t, 422, a.Code)
		assert.Contains(t, a.Body, "spec of 'exempt' must equal the fixed value")
		a = c.do("PATCH", levels+"/catch-all", `{"spec":{"limited":{"nominalConcurrencyShares":6}}}`, "Content-Type", patch)
		assert.Equal(t, 422, a.Code)
		assert.Contains(t, a.Body, "spec of 'catch-all' must equal the fixed value")
		c.must("PATCH", levels+"/exempt", `{"spec":{"exempt":{"nominalConcurrencyShares":5,"lendablePercent":100}}}`,
			"Content-Type", patch)
		assert.Equal(t, fairness.LevelState{Name: "exempt", Exempt: true, NominalSeats: 300, LimitSeats: 300},
			c.levelState("exempt"))
		assert.Equal(t, 600, c.levelState("catch-all").LimitSeats, "the level exempt lends its seats")
	})
}

// A schema counts as long as its level exists, and its status says so.
func TestSchemasFollowTheirLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConfigured(t, 600)
		catchAll := c.flowOf("jane", path)
		schema := c.must("POST", schemas, schemaOf("jane", "of-jane", "jane", 1000))
		read := func() string { return c.do("GET", schemas+"/jane", "").Text(t, dangling) }
		assert.Equal(t, "True", read())
		assert.Equal(t, catchAll, c.flowOf("jane", path))
		level := c.must("POST", levels, queueing("of-jane", 15, 10))
		assert.Equal(t, "False", read())
		assert.Equal(t, [2]string{schema, level}, c.flowOf("jane", path))
		assert.Equal(t, [2]string{schema, level}, c.flowOf("jane", "/version"))
		assert.Equal(t, catchAll, c.flowOf("joe", path))
		assert.Equal(t, []int{450, 150}, []int{c.levelState("of-jane").NominalSeats, c.levelState("catch-all").NominalSeats})
		second := c.must("POST", schemas, schemaOf("first", "of-jane", "jane", 999))
		assert.Equal(t, [2]string{second, level}, c.flowOf("jane", path), "the lowest matchingPrecedence decides")
		c.must("DELETE", schemas+"/first", "")
		third := c.must("POST", schemas, schemaOf("a", "of-jane", "jane", 1000))
		assert.Equal(t, [2]string{third, level}, c.flowOf("jane", path), "among equals, the first name decides")
		c.must("DELETE", levels+"/of-jane", "")
		assert.Equal(t, "True", read())
		assert.Equal(t, catchAll, c.flowOf("jane", path))
		assert.Equal(t, 600, c.levelState("catch-all").NominalSeats)
		a := c.do("PATCH", schemas+"/jane/status", `{"status":{"conditions":[]}}`, "Content-Type",
			"application/merge-patch+json")
		require.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, "True", read(), "the limiter insists on the status")
	})
}

// A change of a level takes nothing from the requests that have seats or wait.
func TestLevelsChangeUnderRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := newConfigured(t, 6, holdingWidgets(release))
		c.must("POST", schemas, schemaOf("jane", "of-jane", "jane", 1000))
		c.must("POST", levels, queueing("of-jane", 1, 10))
		codes := make(chan int)
		get := func() { codes <- apitest.Do(t, c.handler, "GET", path, "", "User", "jane").Code }
		go func() { codes <- create(t, c.handler, "jane", "a").Code }()
		synctest.Wait()
		go get()
		go get()
		synctest.Wait()
		type counts struct{ nominal, seats, waiting int }
		state := func(name string) counts {
			l := c.levelState(name)
			return counts{l.NominalSeats, l.Seats, l.Waiting}
		}
		require.Equal(t, counts{1, 1, 2}, state("of-jane"))

		put := func(body string) { c.must("PUT", levels+"/of-jane", body) }
		reject := `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"of-jane"},"spec":{"type":"Limited",
			"limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"},"borrowingLimitPercent":0}}}`
		put(reject)
		assert.Equal(t, 429, apitest.Do(t, c.handler, "GET", path, "", "User", "jane").Code,
			"the level has no queues any more")
		assert.Equal(t, counts{1, 1, 2}, state("of-jane"), "those that wait wait on")

		put(queueing("of-jane", 5, 10))
		assert.Equal(t, []int{200, 200}, []int{<-codes, <-codes}, "the level has more seats")
		assert.Equal(t, counts{3, 1, 0}, state("of-jane"))

		put(queueing("of-jane", 1, 10))
		go get()
		go get()
		synctest.Wait()
		c.must("DELETE", levels+"/of-jane", "")
		assert.Equal(t, counts{1, 1, 2}, state("of-jane"), "the level works off its requests")
		assert.Equal(t, 5, c.levelState("catch-all").NominalSeats)
		go get()
		assert.Equal(t, 200, <-codes, "new requests go to the level catch-all")
		close(release)
		got := []int{<-codes, <-codes, <-codes}
		slices.Sort(got)
		assert.Equal(t, []int{200, 200, 201}, got)
		assert.Zero(t, c.levelState("of-jane"))
		assert.Equal(t, 6, c.levelState("catch-all").NominalSeats, "the seats have moved")
	})
}

// A write that gives its seat back for a while finds its level again, or the one that has come in its place.
func TestLevelsGoWhileRequestsAreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, again := range []bool{false, true} {
			c := newConfigured(t, 6)
			c.must("POST", schemas, schemaOf("jane", "of-jane", "jane", 1000))
			c.must("POST", levels, queueing("of-jane", 1, 10))
			body, w := io.Pipe()
			code := make(chan int)
			go func() { code <- apitest.Ask(c.handler, apitest.NewRequest("POST", path, body, "User", "jane")).Code }()
			synctest.Wait()
			c.must("DELETE", levels+"/of-jane", "")
			assert.Zero(t, c.levelState("of-jane"))
			if again {
				c.must("POST", levels, queueing("of-jane", 2, 10))
			}
			_, err := io.WriteString(w, apitest.WidgetBody(`"name":"a"`))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			assert.Equal(t, 201, <-code)
			assert.Equal(t, again, c.levelState("of-jane").Name != "")
			assert.Zero(t, c.levelState("of-jane").Seats)
		}
	})
}

// A schema distinguishes its requests by user or by namespace.
func TestDistinguishers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for method, want := range map[string][]bool{"ByUser": {true, false}, "ByNamespace": {false, true},
			"": {false, false}} {
			release := make(chan struct{})
			c := newConfigured(t, 1, holdingWidgets(release))
			level := strings.Replace(queueing("many", 1_000_000, 1), `"queues":1,"handSize":1`, `"queues":10000,"handSize":4`, 1)
			c.must("POST", levels, level)
			schema := schemaOf("many", "many", "*", 1000)
			if method != "" {
				schema = strings.Replace(schema, `"rules"`, `"distinguisherMethod":{"type":"`+method+`"},"rules"`, 1)
			}
			c.must("POST", schemas, schema)
			done := make(chan int)
			ask := func(method, user, path, body string) {
				go func() { done <- apitest.Do(t, c.handler, method, path, body, "User", user).Code }()
				synctest.Wait()
			}
			ask("POST", "a", path, apitest.WidgetBody(`"name":"a"`))
			for range 4 { // fill the hand of the flow
				ask("GET", "b", path, "")
			}
			var queued []bool
			for _, other := range [][2]string{{"c", path}, {"b", strings.Replace(path, "default", "other", 1)}} {
				before := c.levelState("many").Waiting
				ask("GET", other[0], other[1], "")
				queued = append(queued, c.levelState("many").Waiting > before)
				if !queued[len(queued)-1] {
					assert.Equal(t, 429, <-done)
				}
			}
			assert.Equal(t, want, queued, "a request of another flow finds a queue that is not full: %q", method)
			close(release)
			for range 5 + len(slices.DeleteFunc(queued, func(q bool) bool { return !q })) {
				<-done
			}
		}
	})
}

// Start says why the objects cannot configure the Limiter, and tries until then.
func TestStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		limiter, err := fairness.New(fairness.Options{Objects: true, Logger: apitest.LoggerTo(&log)})
		require.NoError(t, err)
		refusals := 0
		refuse := apitest.Validating("refuse", func(_ context.Context, r *admission.Request) error {
			if r.Name == "catch-all" && r.Resource.Resource == "flowschemas" {
				refusals++
				return status.Forbidden(apimeta.GroupResource{}, "", "nobody may")
			}
			return nil
		})
		api := apitest.New(t, rest.Options{Plugins: []rest.Plugin{limiter}, Admission: []admission.Hook{refuse}},
			apitest.WidgetResource())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = api.Start(ctx)
		assert.ErrorContains(t, err, "nobody may")
		assert.Greater(t, refusals, 1)
		assert.Contains(t, log.String(), "flow control does not follow its objects, and tries again")
	})
}

// kubectl shows what it shows of Kubernetes.
func TestTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConfigured(t, 600)
		c.must("POST", levels, queueing("a", 15, 10))
		for path, want := range map[string]string{
			levels + "/a":          `["a","Limited",15,1,1,10,"0s"]`,
			levels + "/exempt":     `["exempt","Exempt","<none>","<none>","<none>","<none>","0s"]`,
			schemas + "/exempt":    `["exempt","exempt","1","<none>","0s","False"]`,
			schemas + "/catch-all": `["catch-all","catch-all","10000","ByUser","0s","False"]`,
		} {
			a := c.do("GET", path, "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
			assert.Contains(t, a.Body, want)
		}
	})
}
