package clients_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Aggregated discovery and the older form must agree.
func TestDiscovery(t *testing.T) {
	for _, form := range []struct {
		name   string
		legacy bool
	}{{"aggregated", false}, {"legacy", true}} {
		t.Run(form.name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, h *host) {
				client, err := discovery.NewDiscoveryClientForConfig(h.config)
				require.NoError(t, err)
				client.UseLegacyDiscovery = form.legacy

				version, err := client.ServerVersion()
				require.NoError(t, err)
				assert.Regexp(t, `^v\d+\.\d+`, version.GitVersion)

				groups, lists, err := client.ServerGroupsAndResources()
				require.NoError(t, err)
				var names []string
				for _, g := range groups {
					names = append(names, g.Name)
				}
				assert.ElementsMatch(t, []string{"", "web.example.com", "coordination.k8s.io", "events.k8s.io",
					"authentication.k8s.io", "authorization.k8s.io"}, names)
				var resources []string
				for _, list := range lists {
					for _, r := range list.APIResources {
						resources = append(resources, list.GroupVersion+" "+r.Name)
					}
				}
				assert.Subset(t, resources, []string{
					"v1 configmaps", "v1 events", "v1 namespaces", "web.example.com/v1 sites", "web.example.com/v1 sites/status",
					"events.k8s.io/v1 events", "coordination.k8s.io/v1 leases",
				})
				asked := h.wire.saw(func(e exchange) bool { return e.path == "/apis/web.example.com/v1" })
				assert.Equal(t, form.legacy, len(asked) > 0,
					"a client requests the resources of a group only if /apis does not list them")

				preferred, err := client.ServerPreferredNamespacedResources()
				require.NoError(t, err)
				assert.NotEmpty(t, preferred)

				paths, err := client.OpenAPIV3().Paths()
				require.NoError(t, err)
				assert.Contains(t, paths, "apis/web.example.com/v1")
				for path, group := range paths {
					_, err := group.Schema("application/json")
					assert.NoError(t, err, path)
				}
				_, err = client.OpenAPISchema()
				assert.NoError(t, err)
			})
		})
	}
}

// Each library's mapper finds the custom kind by every name that a user may type.
func TestRESTMapper(t *testing.T) {
	mappers := map[string]func(t *testing.T, config *clientrest.Config) meta.RESTMapper{
		"client-go": func(t *testing.T, config *clientrest.Config) meta.RESTMapper {
			client, err := discovery.NewDiscoveryClientForConfig(config)
			require.NoError(t, err)
			cached := memory.NewMemCacheClient(client)
			return restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached,
				func(s string) { t.Log(s) })
		},
		"controller-runtime": func(t *testing.T, config *clientrest.Config) meta.RESTMapper {
			mapper, err := apiutil.NewDynamicRESTMapper(config, &http.Client{Transport: transport(t, config)})
			require.NoError(t, err)
			_, err = mapper.RESTMapping(siteKind.GroupKind()) // the mapper fetches a group on first use
			require.NoError(t, err)
			return mapper
		},
	}
	names := map[string][]string{
		"client-go":          {"sites", "site", "st"},
		"controller-runtime": {"sites", "site"},
	}
	for library, newMapper := range mappers {
		t.Run(library, func(t *testing.T) {
			overBoth(t, func(t *testing.T, h *host) {
				mapper := newMapper(t, h.config)
				for _, name := range names[library] {
					kind, err := mapper.KindFor(schema.GroupVersionResource{Resource: name})
					require.NoError(t, err, name)
					assert.Equal(t, siteKind, kind, name)
				}
				mapping, err := mapper.RESTMapping(siteKind.GroupKind())
				require.NoError(t, err)
				assert.Equal(t, siteResource, mapping.Resource)
				assert.Equal(t, meta.RESTScopeNameNamespace, mapping.Scope.Name())

				mapping, err = mapper.RESTMapping(schema.GroupKind{Kind: "Namespace"})
				require.NoError(t, err)
				assert.Equal(t, meta.RESTScopeNameRoot, mapping.Scope.Name())

				_, err = mapper.RESTMapping(schema.GroupKind{Group: siteVersion.Group, Kind: "Palace"})
				assert.True(t, meta.IsNoMatchError(err), "%v", err)
			})
		})
	}
}

func transport(t *testing.T, config *clientrest.Config) http.RoundTripper {
	t.Helper()
	transport, err := clientrest.TransportFor(config)
	require.NoError(t, err)
	return transport
}
