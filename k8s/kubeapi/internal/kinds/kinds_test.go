package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	serviceaddresses "github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// newAPI returns an API with all kinds, which allows everything.
func newAPI(t *testing.T) *rest.API { return newAPIAt(t, netip.Prefix{}) }

// newAPIAt returns such an API with a range of cluster IPs.
func newAPIAt(t *testing.T, addresses netip.Prefix) *rest.API {
	return newAPIOf(t, hooksOf(t, kinds.PluginOptions{Off: []string{"ServiceAccount"}}), addresses)
}

// hooksOf returns the hooks of the plugins that options choose.
func hooksOf(t *testing.T, o kinds.PluginOptions) []admission.Hook {
	hooks, err := kinds.Admission(o)
	require.NoError(t, err)
	return hooks
}

// newAPIWith returns such an API with some hooks.
func newAPIWith(t *testing.T, hooks []admission.Hook) *rest.API {
	return newAPIOf(t, hooks, netip.Prefix{})
}

func newAPIOf(t *testing.T, hooks []admission.Hook, addresses netip.Prefix) *rest.API {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: "https://kubernetes.default.svc",
		Keys: []serviceaccount.Key{{Signer: key}}})
	require.NoError(t, err)
	roles, err := rbac.New(rbac.Options{Administrators: []string{"system:masters"}})
	require.NoError(t, err)
	options := rest.Options{Admission: hooks,
		Plugins: []rest.Plugin{forEverybody{roles}, forEverybody{accounts}, auth.Reviews()}}
	api, err := rest.New(options, kinds.All(kinds.Environment{Accounts: accounts, ServiceAddresses: addresses})...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	if !addresses.IsValid() {
		addresses = netip.MustParsePrefix("10.0.0.0/24")
	}
	require.NoError(t, serviceaddresses.CreateDefault(t.Context(), api, addresses))
	return api
}

// forEverybody is a plug-in without the parts that ask who a user is and what the user may do.
type forEverybody struct{ rest.Plugin }

func (p forEverybody) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := p.Plugin.Plug(api)
	parts.Authenticator, parts.Authorizer = nil, nil
	return parts, err
}

func TestAPIsOfOneProcessServeTheSameGroups(t *testing.T) {
	want := []string{"apps/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1", "autoscaling/v2",
		"batch/v1", "certificates.k8s.io/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1",
		"flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "node.k8s.io/v1", "policy/v1",
		"rbac.authorization.k8s.io/v1",
		"resource.k8s.io/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1", "storagemigration.k8s.io/v1"}
	for range 2 {
		answer := httptest.NewRecorder()
		newAPI(t).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/apis", nil))
		var groups apimeta.APIGroupList
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &groups))
		var got []string
		for _, g := range groups.Groups {
			got = append(got, g.PreferredVersion.GroupVersion)
		}
		assert.ElementsMatch(t, want, got)
	}
}
