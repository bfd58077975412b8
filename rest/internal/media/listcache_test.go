package media_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// twins are two APIs over one store. The second one has no room in its caches of lists and of messages.
type twins struct {
	cached *apitest.ThingServer
	plain  *rest.API
}

func newTwins(t testing.TB) *twins {
	things := apitest.ThingResource()
	things.Wire.Dialect = rest.DialectBuiltin
	definitions := []rest.Definition{things, apitest.GlobalThingResource()}
	s := apitest.NewThingServer(t, rest.Options{}, definitions...)
	return &twins{s, apitest.Start(t, rest.Options{Store: s.Store, Limits: rest.Limits{CacheBytes: -1}}, definitions...)}
}

// list requires that both APIs answer alike, and returns the answer.
func (w *twins) list(t testing.TB, target string, header ...string) apitest.Answer {
	t.Helper()
	got := apitest.Ask(w.cached.API, apitest.NewRequest("GET", target, nil, header...))
	want := apitest.Ask(w.plain, apitest.NewRequest("GET", target, nil, header...))
	for _, a := range []apitest.Answer{got, want} {
		a.Header.Del("Audit-Id")
		a.Header.Del("Content-Length") // the length of a gzip answer is known in advance only if it is cached
	}
	require.Equal(t, want.Code, got.Code)
	require.Equal(t, want.Header, got.Header, target)
	require.Equal(t, want.Body, got.Body, target)
	return got
}

var listForms = [][]string{
	{"Accept", apitest.TypeJSON},
	{"Accept", apitest.TypeJSON, "Accept-Encoding", "gzip"},
	{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1"},
	{"Accept", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"},
	{"Accept", "application/yaml"},
}

var listQueries = []string{
	"", "?resourceVersion=0&limit=1", "?limit=2", "?labelSelector=app%3Dload", "?labelSelector=app%21%3Dload",
	"?fieldSelector=metadata.name%3Dn000001",
	"?pretty=1",
}

// A list comes from the cache from the third request on, and stays right when objects of the kind or of another kind
// change.
func TestListsAgain(t *testing.T) {
	for _, size := range []int{3, 60} {
		w := newTwins(t)
		w.cached.Fill(t, size)
		for _, form := range listForms {
			for _, query := range listQueries {
				t.Run(fmt.Sprint(size, form, query), func(t *testing.T) {
					again := func() {
						for range 3 {
							w.list(t, apitest.Things+query, form...)
						}
					}
					again()
					w.cached.MustCreate(t, "another")
					again()
					require.Equal(t, http.StatusOK, w.cached.Do("DELETE", apitest.Things+"/another", "").Code)
					again()
					other := apitest.ThingsV1 + "/globalthings"
					body := strings.Replace(apitest.ThingBody("other", `{"size":1}`), `"Thing"`, `"GlobalThing"`, 1)
					require.Equal(t, http.StatusCreated, w.cached.Do("POST", other, body).Code)
					again()
					require.Equal(t, http.StatusOK, w.cached.Do("DELETE", other+"/other", "").Code)
				})
			}
		}
	}
}

// halves restricts each user but root to the things with the user's name in a label.
type halves struct{}

func (halves) Authorize(_ context.Context, a access.Access) (access.Decision, error) {
	if a.User.Name == "root" {
		return access.Allow(""), nil
	}
	labels, err := apimeta.ParseLabelSelector("of=" + a.User.Name)
	return access.AllowOnly("", access.Filter{Labels: labels}), err
}

// Users with different rights never get the list of each other.
func TestListsOfTwoUsers(t *testing.T) {
	api := apitest.New(t, rest.Options{Authenticator: apitest.UserFromHeader, Authorizer: halves{}},
		apitest.ThingResource())
	for i := range 60 {
		of := []string{"alice", "bob"}[i%2]
		body := strings.Replace(string(apitest.PaddedThing(fmt.Sprintf("%s-%d", of, i), apitest.BenchObject)), `"app":"load"`,
			`"of":"`+of+`"`, 1)
		apitest.Must(t, api, "POST", apitest.Things, body, "Test-User", "root")
	}
	for range 4 {
		for user, sees := range map[string][2]bool{"root": {true, true}, "alice": {true, false}, "bob": {false, true}} {
			for _, query := range []string{"", "?labelSelector=of"} {
				got := apitest.Ask(api, apitest.NewRequest("GET", apitest.Things+query, nil, "Test-User", user))
				require.Equal(t, http.StatusOK, got.Code)
				assert.Equal(t, sees, [2]bool{strings.Contains(got.Body, `"alice-0"`), strings.Contains(got.Body, `"bob-1"`)}, user)
			}
		}
	}
}

// A repeated list costs little memory, even if it is large.
func TestListAgainAllocatesLittle(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.Fill(t, 1000)
	w := apitest.NewThingWriter(s.API, "GET", apitest.Things, "")
	for range 2 {
		w.Send(nil)
	}
	body := w.Answer.Bytes
	const times = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		w.Send(nil)
	}
	runtime.ReadMemStats(&after)
	assert.Equal(t, body, w.Answer.Bytes)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/times, uint64(64<<10))
}

// The cache keeps no more than its budget, however many different lists clients ask for.
func TestListCacheForgets(t *testing.T) {
	const budget = 1 << 20
	store := apitest.NewStore(t)
	s := &apitest.ThingServer{Store: store,
		API: apitest.Start(t, rest.Options{Store: store, Limits: rest.Limits{CacheBytes: budget * 9 / 2}},
			apitest.ThingResource())}
	s.Fill(t, 100) // about 300 KB
	ask := func(i int) {
		w := apitest.NewThingWriter(s.API, "GET", fmt.Sprintf("%s?labelSelector=app%%21%%3D%d", apitest.Things, i), "")
		for range 3 {
			w.Send(nil)
		}
	}
	ask(0)
	before := heaptest.InUse()
	for i := range 50 {
		ask(i)
	}
	assert.Less(t, heaptest.InUse()-before, int64(2*budget))
}

// FuzzListCache compares lists with the lists of an API without the cache, while objects come, change and go.
func FuzzListCache(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0})
	f.Add([]byte{1, 2, 3, 4, 5, 250, 250, 250, 6, 7, 251, 251, 251, 8, 252, 252, 252})
	f.Fuzz(func(t *testing.T, steps []byte) {
		w := newTwins(t)
		w.cached.Fill(t, 20)
		for i, step := range steps[:min(len(steps), 64)] {
			name := fmt.Sprintf("n%06d", step%7)
			switch step % 5 {
			case 0:
				w.cached.Do("POST", apitest.Things, string(apitest.PaddedThing(name, 4<<10)))
			case 1:
				w.cached.Do("PATCH", apitest.Things+"/"+name,
					fmt.Sprintf(`{"metadata":{"labels":{"app":"%d"}},"spec":{"size":%d}}`, step%2, i), "Content-Type",
					"application/merge-patch+json")
			case 2:
				w.cached.Do("DELETE", apitest.Things+"/"+name, "")
			}
			form, query := listForms[int(step)%len(listForms)], listQueries[int(step)/8%len(listQueries)]
			for range 1 + step%3 {
				w.list(t, apitest.Things+query, form...)
			}
		}
	})
}
