package write_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// thingCaller speaks HTTP to a server of Things.
type thingCaller struct {
	client *http.Client
	root   string
}

func (c *thingCaller) do(method, path, media, body string) (code int, answer []byte, err error) {
	r, err := http.NewRequest(method, c.root+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", media)
	response, err := c.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

func (c *thingCaller) list(query string) (items map[string]string, version string, err error) {
	code, body, err := c.do("GET", apitest.Things+"?"+query, apitest.TypeJSON, "")
	if err != nil || code != http.StatusOK {
		return nil, "", fmt.Errorf("list: %d %s %w", code, body, err)
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []apitest.Thing
	}
	err = json.Unmarshal(body, &list)
	items = map[string]string{}
	for _, item := range list.Items {
		items[item.Name] = item.ResourceVersion
	}
	return items, list.Metadata.ResourceVersion, err
}

// Read, change, write back, and try again when somebody else was faster: no change is lost (API conventions,
// Concurrency Control and Consistency).
func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	const workers, changes = 8, 25
	s := apitest.NewThingServer(t, rest.Options{})
	server := apitest.Serve(t, s.API)
	s.MustCreate(t, "counter")
	caller := &thingCaller{server.Client(), server.URL}
	var conflicts atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for done := 0; done < changes; {
				_, body, err := caller.do("GET", apitest.Things+"/counter", apitest.TypeJSON, "")
				var thing apitest.Thing
				if !assert.NoError(t, err) || !assert.NoError(t, json.Unmarshal(body, &thing)) {
					return
				}
				thing.Spec.Size++
				changed, err := json.Marshal(thing)
				assert.NoError(t, err)
				code, answer, err := caller.do("PUT", apitest.Things+"/counter", apitest.TypeJSON, string(changed))
				switch {
				case !assert.NoError(t, err):
					return
				case code == http.StatusOK:
					done++
				case code == http.StatusConflict:
					conflicts.Add(1)
				default:
					assert.Fail(t, "unexpected answer", "%d %s", code, answer)
					return
				}
			}
		}()
	}
	wg.Wait()
	counter := apitest.ThingOf(t, s.Do("GET", apitest.Things+"/counter", ""))
	require.EqualValues(t, 1+workers*changes, counter.Spec.Size)
	require.EqualValues(t, 1+workers*changes, counter.Generation)
	require.Equal(t, fmt.Sprint(2+workers*changes), counter.ResourceVersion, "a refused update makes no revision")
	t.Logf("%d conflicts", conflicts.Load())
}

// Patches need no version: all of them arrive, whatever their order.
func TestConcurrentPatchesAllArrive(t *testing.T) {
	const workers, changes = 8, 25
	s := apitest.NewThingServer(t, rest.Options{})
	s.MustCreate(t, "board")
	var wg sync.WaitGroup
	for i := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range changes {
				w := s.Do("PATCH", apitest.Things+"/board", fmt.Sprintf(`{"spec":{"data":{"w%d-%d":"x"}}}`, i, j), "Content-Type",
					"application/merge-patch+json")
				assert.Equal(t, http.StatusOK, w.Code, w.Body)
			}
		}()
	}
	wg.Wait()
	require.Len(t, apitest.ThingOf(t, s.Do("GET", apitest.Things+"/board", "")).Spec.Data, workers*changes)
}

// One name is created once, however many try.
func TestConcurrentCreatesOneWins(t *testing.T) {
	const workers, names = 8, 30
	s := apitest.NewThingServer(t, rest.Options{})
	var created, taken atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range names {
				switch w := s.Do("POST", apitest.Things, apitest.ThingBody(fmt.Sprintf("n%d", i), "{}")); w.Code {
				case http.StatusCreated:
					created.Add(1)
				case http.StatusConflict:
					taken.Add(1)
				default:
					assert.Fail(t, "unexpected answer", w.Body)
				}
			}
		}()
	}
	wg.Wait()
	require.EqualValues(t, names, created.Load())
	require.EqualValues(t, names*(workers-1), taken.Load())
}

const thingLast = "zz-last"

// replay lists, watches from there, and applies what comes until it sees the last Thing of all.
func (c *thingCaller) replay(t *testing.T, query string, begun func()) map[string]string {
	state, version, err := c.list(query)
	begun()
	if !assert.NoError(t, err) {
		return nil
	}
	r, err := c.client.Get(c.root + apitest.Things + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version + "&" +
		query)
	if !assert.NoError(t, err) {
		return nil
	}
	defer func() { _ = r.Body.Close() }()
	events := json.NewDecoder(r.Body)
	told := version
	for {
		var e struct {
			Type   apimeta.EventType
			Object apitest.Thing
		}
		if !assert.NoError(t, events.Decode(&e)) {
			return nil
		}
		name := e.Object.Name
		_, known := state[name]
		assert.True(t, len(told) < len(e.Object.ResourceVersion) || told < e.Object.ResourceVersion,
			"revisions grow: %s after %s", e.Object.ResourceVersion, told)
		told = e.Object.ResourceVersion
		switch e.Type {
		case apimeta.EventAdded:
			assert.False(t, known, "%s was added twice", name)
			state[name] = told
		case apimeta.EventModified:
			assert.True(t, known, "%s changed before it was added", name)
			state[name] = told
		case apimeta.EventDeleted:
			assert.True(t, known, "%s was deleted twice", name)
			delete(state, name)
		case apimeta.EventBookmark:
		default:
			assert.Fail(t, "unexpected event", "%v", e)
			return nil
		}
		if name == thingLast {
			return state
		}
	}
}

// List, then watch from there, arrives at what a later list says: with selectors whose border objects cross in both
// directions, with several writers, and whenever it begins.
func TestListThenWatchReplaysToTheList(t *testing.T) {
	const writers, rounds, names = 4, 150, 12
	s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{MaxInFlight: 100}})
	server := apitest.Serve(t, s.API)
	caller := &thingCaller{server.Client(), server.URL}
	queries := []string{
		"",
		"labelSelector=" + url.QueryEscape("side=left"),
		"labelSelector=" + url.QueryEscape("side!=left"),
		"labelSelector=" + url.QueryEscape("side in (left,right),!hidden"),
		"fieldSelector=" + url.QueryEscape("spec.color=red"),
		"fieldSelector=" + url.QueryEscape("spec.color!=red") + "&labelSelector=" + url.QueryEscape("side"),
	}
	var writing, watching, begun sync.WaitGroup
	for w := range writers {
		writing.Add(1)
		go func() {
			defer writing.Done()
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range rounds {
				name := fmt.Sprintf("n%d", random.IntN(names))
				side := []string{`"left"`, `"right"`, "null"}[random.IntN(3)]
				color := []string{`"red"`, `"green"`, "null"}[random.IntN(3)]
				hidden := []string{`"yes"`, "null"}[random.IntN(2)]
				switch random.IntN(6) {
				case 0:
					w := s.Do("DELETE", apitest.Things+"/"+name, "")
					assert.Contains(t, []int{200, 404}, w.Code)
				case 1:
					w := s.Do("POST", apitest.Things, apitest.ThingBody(name, "{}"))
					assert.Contains(t, []int{201, 409}, w.Code)
				default:
					w := s.Do("PATCH", apitest.Things+"/"+name,
						fmt.Sprintf(`{"metadata":{"labels":{"side":%s,"hidden":%s}},"spec":{"color":%s}}`, side, hidden, color),
						"Content-Type", "application/merge-patch+json")
					assert.Contains(t, []int{200, 404}, w.Code, w.Body)
				}
			}
		}()
	}
	results := make([]map[string]string, 3*len(queries))
	for i := range results {
		watching.Add(1)
		begun.Add(1)
		go func() {
			defer watching.Done()
			results[i] = caller.replay(t, queries[i%len(queries)], begun.Done)
		}()
	}
	writing.Wait()
	begun.Wait()
	// The last Thing comes into every selection, either when it is made or when it changes sides.
	last := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":%q,"labels":{"side":"left"}},"spec":{"color":"red"}}`,
		apitest.ThingGroup, thingLast)
	require.Equal(t, http.StatusCreated, s.Do("POST", apitest.Things, last).Code)
	w := s.Do("PATCH", apitest.Things+"/"+thingLast, `{"metadata":{"labels":{"side":"right"}},"spec":{"color":"green"}}`,
		"Content-Type", "application/merge-patch+json")
	require.Equal(t, http.StatusOK, w.Code)
	apitest.Within(t, "all watchers have seen the last Thing",
		apitest.InBackground(func() bool { watching.Wait(); return true }))
	for i, got := range results {
		want, _, err := caller.list(queries[i%len(queries)])
		require.NoError(t, err)
		delete(want, thingLast)
		delete(got, thingLast)
		assert.Equal(t, want, got, queries[i%len(queries)])
	}
}
