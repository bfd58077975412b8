package resttest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
)

// The log describes a request in terms of the API, whether or not its object exists.
func TestRequestsAreRead(t *testing.T) {
	const group = "/apis/fleet.example.com/v1"
	in := func(r resttest.Request) resttest.Request {
		r.Group, r.Version, r.Resource = "fleet.example.com", "v1", "ships"
		return r
	}
	core := func(resource string, r resttest.Request) resttest.Request {
		r.Version, r.Resource = "v1", resource
		return r
	}
	tests := []struct {
		name, method, url string
		want              resttest.Request
	}{
		{"get", "GET", shipsPath + "/a", in(resttest.Request{Verb: access.VerbGet, Namespace: "default", Name: "a"})},
		{"get that asks for a watch", "GET", shipsPath + "/a?watch=true",
			in(resttest.Request{Verb: access.VerbGet, Namespace: "default", Name: "a"})},
		{"list", "GET", shipsPath, in(resttest.Request{Verb: access.VerbList, Namespace: "default"})},
		{"list of all namespaces", "GET", group + "/ships", in(resttest.Request{Verb: access.VerbList})},
		{"list of one", "GET", shipsPath + "?fieldSelector=metadata.name%3Da",
			in(resttest.Request{Verb: access.VerbList, Namespace: "default", Name: "a"})},
		{"list with watch=false", "GET", shipsPath + "?watch=false",
			in(resttest.Request{Verb: access.VerbList, Namespace: "default"})},
		{"watch", "GET", shipsPath + "?watch=1&timeoutSeconds=1&resourceVersion=1",
			in(resttest.Request{Verb: access.VerbWatch, Namespace: "default"})},
		{"replace", "PUT", shipsPath + "/a", in(resttest.Request{Verb: access.VerbUpdate, Namespace: "default", Name: "a"})},
		{"patch of the status", "PATCH", shipsPath + "/a/status",
			in(resttest.Request{Verb: access.VerbPatch, Namespace: "default", Name: "a", Subresource: "status"})},
		{"delete", "DELETE", shipsPath + "/a", in(resttest.Request{Verb: access.VerbDelete, Namespace: "default", Name: "a"})},
		{"delete of all", "DELETE", shipsPath, in(resttest.Request{Verb: access.VerbDeleteCollection, Namespace: "default"})},
		{"an action", "POST", shipsPath + "/a/sink",
			in(resttest.Request{Verb: access.VerbCreate, Namespace: "default", Name: "a", Subresource: "sink"})},
		{"an escaped name", "GET", shipsPath + "/a%3Ab",
			in(resttest.Request{Verb: access.VerbGet, Namespace: "default", Name: "a:b"})},
		{"a slash at the end", "GET", shipsPath + "/", in(resttest.Request{Verb: access.VerbList, Namespace: "default"})},
		{"the core group", "GET", "/api/v1/namespaces/x/configmaps/y",
			core("configmaps", resttest.Request{Verb: access.VerbGet, Namespace: "x", Name: "y"})},
		{"a node", "GET", "/api/v1/nodes/n/status",
			core("nodes", resttest.Request{Verb: access.VerbGet, Name: "n", Subresource: "status"})},
		{"namespaces", "GET", "/api/v1/namespaces", core("namespaces", resttest.Request{Verb: access.VerbList})},
		{"a namespace", "GET", "/api/v1/namespaces/x", core("namespaces", resttest.Request{Verb: access.VerbGet, Name: "x"})},
		{"the status of a namespace", "PUT", "/api/v1/namespaces/x/status",
			core("namespaces", resttest.Request{Verb: access.VerbUpdate, Name: "x", Subresource: "status"})},
		{"the end of a namespace", "PUT", "/api/v1/namespaces/x/finalize",
			core("namespaces", resttest.Request{Verb: access.VerbUpdate, Name: "x", Subresource: "finalize"})},
		{"discovery", "GET", "/apis", resttest.Request{}},
		{"discovery of a group", "GET", group, resttest.Request{}},
		{"discovery of the core group", "GET", "/api/v1", resttest.Request{}},
		{"something else", "GET", "/healthz", resttest.Request{}},
		{"the root", "GET", "/", resttest.Request{}},
	}
	s, _ := fleet(t)
	c := &http.Client{Transport: s.RoundTripper()}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.ForgetRequests()
			a := mustSend(t, c, tt.method, "http://resttest"+tt.url, "")
			tt.want.Method, tt.want.URL, tt.want.Code, tt.want.Body = tt.method, tt.url, a.code, []byte{}
			assert.Equal(t, []resttest.Request{tt.want}, s.Requests())
		})
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
		mustSend(t, c, "POST", base+shipsPath, shipJSON("a"))
		mustSend(t, c, "POST", base+shipsPath, shipJSON("a"))
		mustSend(t, c, "GET", base+shipsPath+"/a", "")
		mustSend(t, c, "GET", base+shipsPath+"/none", "")

		all := s.Requests()
		require.Len(t, all, 4)
		assert.Equal(t, "a", all[0].Name, "the name in the body")
		assert.JSONEq(t, shipJSON("a"), string(all[0].Body))
		assert.Equal(t, []int{201, 409, 200, 404}, []int{all[0].Code, all[1].Code, all[2].Code, all[3].Code})
		assert.Len(t, s.Requests(access.VerbCreate), 2)
		assert.Len(t, s.Requests(access.VerbCreate, access.VerbGet), 4)
		assert.Empty(t, s.Requests(access.VerbDelete))

		s.ForgetRequests()
		assert.Empty(t, s.Requests())
	})
}

// A watch is recorded when it begins, not when it ends.
func TestAWatchIsRecordedAtOnce(t *testing.T) {
	eachWay(t, func(t *testing.T, s *resttest.Server, c *http.Client, base string) {
		answer, err := c.Get(base + shipsPath + "?watch=true")
		require.NoError(t, err)
		defer answer.Body.Close()
		require.Len(t, s.Requests(access.VerbWatch), 1)
		assert.Equal(t, http.StatusOK, s.Requests()[0].Code)
	})
}

// The log does not hold the test's own calls. For other calls it holds what the API saw.
func TestTheTestsOwnCallsAreNotRecorded(t *testing.T) {
	s, c := fleet(t)
	mustCreate(t, c, "a")
	_, err := c.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Empty(t, s.Requests())
}

// The log is bounded and keeps the newest requests.
func TestOldRequestsAreForgotten(t *testing.T) {
	s, c := fleet(t)
	ctx := s.UnderTest(t.Context())
	mustCreate(t, c, "newest")
	const many = 20_001
	for i := range many {
		name := "older"
		if i == many-1 {
			name = "newest"
		}
		_, err := c.Get(ctx, name)
		require.Equal(t, i == many-1, err == nil)
	}
	all := s.Requests()
	assert.GreaterOrEqual(t, len(all), 10_000)
	assert.Less(t, len(all), many)
	assert.Equal(t, "newest", all[len(all)-1].Name)
}
