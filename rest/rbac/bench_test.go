package rbac_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
)

// get is a GET of a note, which a benchmark repeats.
type get struct {
	handler http.Handler
	request *http.Request
	answer  *httptest.ResponseRecorder
}

func (g *get) run() {
	g.answer.Body.Reset()
	g.handler.ServeHTTP(g.answer, g.request)
}

// newGet returns a GET by a user who belongs to three groups. With bindings above 0, the API has an Authorizer with
// that number of bindings, and only the last one grants the right. With 0, the API has no Authorizer.
func newGet(t testing.TB, bindings int) *get {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	options := rest.Options{}
	if bindings > 0 {
		options.Plugins = []rest.Plugin{roles}
	}
	api, err := rest.New(options, rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	_, err = resttest.Client[Note](t, api).Namespace("default").Create(t.Context(),
		&Note{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(t, err)
	for i := range bindings {
		name := fmt.Sprint("r", i)
		rule := rbac.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{"example.com"},
			Resources: []string{"notes", "notes/status"}}
		meta := apimeta.ObjectMeta{Name: name}
		_, err := resttest.Client[rbac.Role](t, api).Namespace("default").Create(t.Context(),
			&rbac.Role{ObjectMeta: meta, Rules: []rbac.PolicyRule{rule}})
		require.NoError(t, err)
		_, err = resttest.Client[rbac.RoleBinding](t, api).Namespace("default").Create(t.Context(),
			&rbac.RoleBinding{ObjectMeta: meta, RoleRef: rbac.RoleRef{APIGroup: rbac.Group, Kind: "Role", Name: name},
				Subjects: []rbac.Subject{{Kind: rbac.GroupKind, APIGroup: rbac.Group, Name: fmt.Sprint("team-", i)}}})
		require.NoError(t, err)
	}
	u := access.User{Name: "alice", Groups: []string{"system:authenticated", "people", fmt.Sprint("team-", bindings-1)}}
	r := httptest.NewRequest("GET", notes+"/a", nil)
	g := &get{api, r.WithContext(access.WithUser(r.Context(), u)), httptest.NewRecorder()}
	g.run()
	require.Equal(t, 200, g.answer.Code, g.answer.Body)
	return g
}

// An Authorizer adds at most two allocations to a GET.
func TestAuthorizerAllocatesLittle(t *testing.T) {
	without, with := newGet(t, 0), newGet(t, 20)
	added := testing.AllocsPerRun(200, with.run) - testing.AllocsPerRun(200, without.run)
	assert.LessOrEqual(t, added, 2.0)
}

// BenchmarkGet compares a GET without an Authorizer with one that 1,000 bindings decide. The aim is to add at most 2 µs
// and 2 allocations.
func BenchmarkGet(b *testing.B) {
	for _, bindings := range []int{0, 1000} {
		b.Run(fmt.Sprint("bindings=", bindings), func(b *testing.B) {
			g := newGet(b, bindings)
			b.ReportAllocs()
			for b.Loop() {
				g.run()
			}
		})
	}
}
