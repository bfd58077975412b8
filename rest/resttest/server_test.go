package resttest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

const shipsPath = "/apis/fleet.example.com/v1/namespaces/default/ships"

// over returns an HTTP client for each way to reach a server.
func over(s *resttest.Server) map[string]func() (*http.Client, string) {
	return map[string]func() (*http.Client, string){
		"RoundTripper": func() (*http.Client, string) {
			return &http.Client{Transport: s.RoundTripper()}, "http://resttest"
		},
		"URL": func() (*http.Client, string) {
			return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, s.URL()
		},
	}
}

// eachWay runs a test over both.
func eachWay(t *testing.T, f func(t *testing.T, s *resttest.Server, c *http.Client, base string)) {
	t.Helper()
	for _, way := range []string{"RoundTripper", "URL"} {
		t.Run(way, func(t *testing.T) {
			s, _ := fleet(t)
			c, base := over(s)[way]()
			f(t, s, c, base)
		})
	}
}

type answered struct {
	code   int
	header http.Header
	body   string
}

func send(t testing.TB, c *http.Client, method, url, body string) (answered, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := c.Do(r)
	if err != nil {
		return answered{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answered{answer.StatusCode, answer.Header, string(text)}, err
}

func mustSend(t testing.TB, c *http.Client, method, url, body string) answered {
	t.Helper()
	a, err := send(t, c, method, url, body)
	require.NoError(t, err)
	return a
}

func shipJSON(name string) string {
	return `{"apiVersion":"fleet.example.com/v1","kind":"Ship","metadata":{"name":"` + name +
		`"},"spec":{"class":"Frigate"}}`
}

// The same requests get the same answers, byte for byte.
func TestAnswersAreRepeatable(t *testing.T) {
	const golden = `{"apiVersion":"fleet.example.com/v1","kind":"Ship","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","generation":1,` +
		`"name":"victory","namespace":"default","resourceVersion":"2","uid":"00000000-0000-4000-8000-000000000001"},` +
		`"spec":{"class":"Frigate","guns":8}}`
	for range 2 {
		s := resttest.New(t, ships())
		a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, "POST", "http://resttest"+shipsPath, shipJSON("victory"))
		require.Equal(t, http.StatusCreated, a.code, a.body)
		var ship map[string]any
		require.NoError(t, json.Unmarshal([]byte(a.body), &ship))
		delete(ship["metadata"].(map[string]any), "managedFields")
		got, err := json.Marshal(ship)
		require.NoError(t, err)
		assert.JSONEq(t, golden, string(got))

		s.Clock.Advance(time.Hour)
		second := mustCreate(t, resttest.Client[Ship](t, s.API).Namespace("default"), "second")
		assert.Equal(t, "2026-01-01T01:00:00Z", second.CreationTimestamp.UTC().Format(time.RFC3339))
		assert.Equal(t, "00000000-0000-4000-8000-000000000002", second.UID)
		assert.Equal(t, "3", second.ResourceVersion)
		assert.Equal(t, "3", s.ResourceVersion())
	}
}

func TestClock(t *testing.T) {
	s := resttest.NewWith(t, resttest.Options{Time: time.Unix(1000, 0)}, ships())
	assert.Equal(t, int64(1000), s.Clock.Now().Unix())
	assert.Equal(t, int64(1060), s.Clock.Advance(time.Minute).Unix())
	s.Clock.Set(time.Unix(5, 0))
	ship := mustCreate(t, resttest.Client[Ship](t, s.API).Namespace("default"), "old")
	assert.Equal(t, int64(5), ship.CreationTimestamp.Unix())
}

func TestOptionsOfTheAPIAreTheHosts(t *testing.T) {
	store := memory.New(storage.Options{Start: 100})
	errs := inside(t, func(t *fakeT) {
		s := resttest.NewWith(t, resttest.Options{API: rest.Options{
			Store:  store,
			Now:    func() time.Time { return time.Unix(7, 0) },
			NewUID: func() string { return "mine" },
			Limits: rest.Limits{MaxBodyBytes: 200},
		}}, ships())
		c := resttest.Client[Ship](t, s.API).Namespace("default")
		ship := mustCreate(t, c, "a")
		assert.Equal(t, "101", ship.ResourceVersion)
		assert.Equal(t, "mine", ship.UID)
		assert.Equal(t, int64(7), ship.CreationTimestamp.Unix())
		a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, "POST", "http://x"+shipsPath,
			shipJSON(strings.Repeat("a", 300)))
		assert.Equal(t, http.StatusRequestEntityTooLarge, a.code)
	})
	assert.Empty(t, errs)
	_, err := store.Get(t.Context(), storage.Key{Resource: "ships.fleet.example.com", Namespace: "default", Name: "a"}, 0)
	assert.NoError(t, err, "a store of the test's own is the test's to close")
	require.NoError(t, store.Close())
}

func TestPrefixAndMiddleware(t *testing.T) {
	seen := ""
	review := rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships",
		Hooks: rest.Hooks[Ship]{Default: func(ctx context.Context, _ *Ship) error {
			seen = access.UserFrom(ctx).Name
			return nil
		}}}
	s := resttest.NewWith(t, resttest.Options{
		Prefix: "/platform/",
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.WithContext(access.WithUser(r.Context(), access.User{Name: r.Header.Get("X-User")})))
			})
		},
	}, review)
	require.True(t, strings.HasSuffix(s.URL(), "/platform"), s.URL())
	for _, base := range []string{"http://resttest/platform", s.URL()} {
		c := &http.Client{Transport: s.RoundTripper()}
		if base == s.URL() {
			c = http.DefaultClient
		}
		r, err := http.NewRequestWithContext(t.Context(), "POST", base+shipsPath+"?dryRun=All",
			strings.NewReader(shipJSON("a")))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-User", "nelson")
		answer, err := c.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusCreated, answer.StatusCode)
		assert.Equal(t, "nelson", seen)
		seen = ""
	}
	assert.Equal(t, access.VerbCreate, s.Requests()[0].Verb, "the prefix is not part of the request")
	assert.Equal(t, "ships", s.Requests()[0].Resource)
}

func TestKubeconfig(t *testing.T) {
	s := resttest.NewWith(t, resttest.Options{Prefix: "/p"}, ships())
	text, err := os.ReadFile(s.Kubeconfig())
	require.NoError(t, err)
	var config struct {
		APIVersion, Kind string
		CurrentContext   string `json:"current-context"`
		Clusters         []struct {
			Name    string
			Cluster struct {
				Server   string
				Insecure bool `json:"insecure-skip-tls-verify"`
			}
		}
		Contexts []struct {
			Name    string
			Context struct{ Cluster, User, Namespace string }
		}
		Users []struct{ Name string }
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	assert.Equal(t, "v1", config.APIVersion)
	assert.Equal(t, "Config", config.Kind)
	require.Len(t, config.Contexts, 1)
	assert.Equal(t, config.CurrentContext, config.Contexts[0].Name)
	assert.Equal(t, config.Clusters[0].Name, config.Contexts[0].Context.Cluster)
	assert.Equal(t, config.Users[0].Name, config.Contexts[0].Context.User)
	assert.Equal(t, "default", config.Contexts[0].Context.Namespace)
	assert.Equal(t, s.URL(), config.Clusters[0].Cluster.Server)
	assert.True(t, config.Clusters[0].Cluster.Insecure, "clients in JavaScript refuse http without it")
}

func TestMisuseIsFatal(t *testing.T) {
	errs := inside(t, func(t *fakeT) {
		resttest.New(t, rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1"})
		t.Errorf("New has returned")
	})
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0], `Plural ""`)
}

// After Expire, earlier resourceVersions are useless, but up-to-date watches continue.
func TestExpire(t *testing.T) {
	s, c := fleet(t)
	for _, name := range []string{"a", "b", "c"} {
		mustCreate(t, c, name)
	}
	page, err := c.List(t.Context(), rest.ListOptions{Limit: 1})
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := make(chan string)
	go func() {
		defer close(events)
		for event, err := range c.Watch(ctx, rest.WatchOptions{}) {
			if err != nil {
				return
			}
			events <- event.Object.Name
		}
	}()
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, name, <-events)
	}
	s.Expire()
	_, err = c.List(t.Context(), rest.ListOptions{Limit: 1, Continue: page.Continue})
	require.NoError(t, err, "the revision is still the present one")
	mustCreate(t, c, "later")
	require.Equal(t, "later", <-events)
	s.Expire()

	_, err = c.List(t.Context(), rest.ListOptions{Limit: 1, Continue: page.Continue})
	assert.True(t, status.IsExpired(err), "%v", err)
	for _, err := range c.Watch(t.Context(), rest.WatchOptions{ResourceVersion: "2"}) {
		assert.True(t, status.IsExpired(err), "%v", err)
	}
	mustCreate(t, c, "d")
	assert.Equal(t, "d", <-events, "the watch continues")
}

func TestUnchangedResourceVersionMeansNoWrite(t *testing.T) {
	s, c := fleet(t)
	ship := mustCreate(t, c, "a")
	before := s.ResourceVersion()
	_, err := c.Update(t.Context(), ship)
	require.NoError(t, err)
	assert.Equal(t, before, s.ResourceVersion(), "a write that changes nothing")
	ship.Spec.Guns = 9
	_, err = c.Update(t.Context(), ship)
	require.NoError(t, err)
	assert.NotEqual(t, before, s.ResourceVersion())
}

// readBy is an empty body that reports when the server reads it.
type readBy func()

func (f readBy) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// The end of a test ends everything that the test has left open: watches of both kinds, unread bodies, a pause.
func TestNothingIsLeftBehind(t *testing.T) {
	errs := inside(t, func(t *fakeT) {
		s := resttest.New(t, ships())
		c := resttest.Client[Ship](t, s.API).Namespace("default")
		for i := range 50 {
			ship := frigate("s" + strings.Repeat("x", i))
			ship.Annotations = map[string]string{"filling": strings.Repeat("x", 20_000)}
			_, err := c.Create(t.Context(), ship)
			require.NoError(t, err)
		}
		s.Inject(resttest.Fault{Verb: access.VerbGet, Delay: time.Hour})
		for _, way := range over(s) {
			client, base := way()
			for _, query := range []string{"?watch=true", ""} {
				answer, err := client.Get(base + shipsPath + query)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, answer.StatusCode)
			}
		}
		client, base := over(s)["RoundTripper"]()
		arrived := make(chan struct{})
		r, err := http.NewRequest(http.MethodGet, base+shipsPath+"/s", readBy(func() { close(arrived) }))
		require.NoError(t, err)
		go func() { _, _ = client.Do(r) }()
		<-arrived
	})
	assert.Empty(t, errs)
	apitest.Await(t, "no goroutine of the library is left", func() bool { return apitest.LibraryGoroutines(t) == 0 })
}

func TestAfterTheEnd(t *testing.T) {
	var transport http.RoundTripper
	var url func() string
	var api *rest.API
	errs := inside(t, func(t *fakeT) {
		s := resttest.New(t, ships())
		transport, url, api = s.RoundTripper(), s.URL, s.API
	})
	assert.Empty(t, errs)
	_, err := send(t, &http.Client{Transport: transport}, "GET", "http://resttest"+shipsPath, "")
	assert.Error(t, err)
	_, err = send(t, http.DefaultClient, "GET", url()+shipsPath, "")
	assert.Error(t, err, "the URL refuses connections")
	_, err = resttest.Client[Ship](t, api).Namespace("default").Get(t.Context(), "a")
	assert.True(t, status.IsServiceUnavailable(err), "%v", err)
}

// A call that the test has forgotten fails the test, rather than blocking it.
func TestACallThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		errs := inside(t, func(t *fakeT) {
			s := resttest.New(t, ships())
			c := resttest.Client[Ship](t, s.API).Namespace("default")
			mustCreate(t, c, "a")
			begun := make(chan struct{})
			go func() {
				for range c.Watch(context.Background(), rest.WatchOptions{}) {
					close(begun)
					<-release
					return
				}
			}()
			<-begun
		})
		close(release)
		require.Len(t, errs, 1)
		assert.Contains(t, errs[0], "still running")
	})
}

// A server works in a bubble with fake time.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := resttest.New(t, ships())
		c := resttest.Client[Ship](t, s.API).Namespace("default")
		s.Inject(resttest.Fault{Verb: access.VerbList, Delay: 90 * time.Second})
		began := time.Now()
		a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, "GET", "http://resttest"+shipsPath, "")
		assert.Equal(t, http.StatusOK, a.code)
		assert.Equal(t, 90*time.Second, time.Since(began))

		time.AfterFunc(time.Second, func() { createSoon(t, c, "late") })
		ship := resttest.WaitFor(t, c, "late", func(*Ship) bool { return true })
		assert.Equal(t, "2026-01-01T00:00:00Z", ship.CreationTimestamp.UTC().Format(time.RFC3339),
			"the API's clock stands still")
	})
}

func TestParallelServersShareNothing(t *testing.T) {
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s, c := fleet(t)
			assert.Equal(t, "2", mustCreate(t, c, "a").ResourceVersion)
			a := mustSend(t, http.DefaultClient, "GET", s.URL()+shipsPath, "")
			assert.Contains(t, a.body, `"name":"a"`)
			assert.Len(t, s.Requests(), 1)
		})
	}
}

// The API logs to the test.
func TestLogGoesToTheTest(t *testing.T) {
	var log bytes.Buffer
	errs := inside(t, func(t *fakeT) {
		s := resttest.New(loggedT{t, &log}, rest.Resource[Ship]{Group: "fleet.example.com", Version: "v1", Plural: "ships",
			Hooks: rest.Hooks[Ship]{Default: func(context.Context, *Ship) error { panic("leaking") }}})
		a := mustSend(t, &http.Client{Transport: s.RoundTripper()}, "POST", "http://resttest"+shipsPath, shipJSON("a"))
		assert.Equal(t, http.StatusInternalServerError, a.code)
	})
	assert.Empty(t, errs)
	assert.Contains(t, log.String(), "leaking")
}

type loggedT struct {
	*fakeT
	log io.Writer
}

func (t loggedT) Output() io.Writer { return t.log }
