package front_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// hashOf is the storageVersionHash of a stored version, as clients compute it.
func hashOf(groupVersionKind string) string {
	sum := sha256.Sum256([]byte(groupVersionKind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func TestDiscoveryOfSeveralVersions(t *testing.T) {
	api := apitest.NewCogs(t)
	version := func(v string) string { return `{"groupVersion":"example.com/` + v + `","version":"` + v + `"}` }
	apitest.WantJSON(t, apitest.Do(t, api, "GET", "/apis/example.com", ""), 200,
		`{"kind":"APIGroup","apiVersion":"v1","name":"example.com",
		"versions":[`+version("v1")+`,`+version("v1beta1")+`,`+version("v1alpha1")+`],"preferredVersion":`+version("v1")+`}`)
	const verbs = `["delete","deletecollection","get","list","patch","create","update","watch"]`
	for v, subresources := range map[string][]string{"v1": {"status", "scale"}, "v1beta1": {"status", "scale"},
		"v1alpha1": nil} {
		want := fmt.Sprintf(`{"name":"cogs","singularName":"cog","namespaced":true,"kind":"Cog","verbs":%s,"shortNames":["cg"],"storageVersionHash":%q}`,
			verbs, hashOf("example.com/v1/Cog"))
		for _, sub := range subresources {
			kind := `"kind":"Cog"`
			if sub == "scale" {
				kind = `"kind":"Scale","group":"autoscaling","version":"v1"`
			}
			want += `,{"name":"cogs/` + sub + `","singularName":"","namespaced":true,` + kind +
				`,"verbs":["get","patch","update"]}`
		}
		apitest.WantJSON(t, apitest.Do(t, api, "GET", "/apis/example.com/"+v, ""), 200,
			`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/`+v+`","resources":[`+want+`]}`)
	}
	aggregated := apitest.Do(t, api, "GET", "/apis", "", "Accept", acceptAggregated)
	for i, v := range []string{"v1", "v1beta1", "v1alpha1"} {
		at := fmt.Sprintf("items.2.versions.%d.", i) // the groups of the reviews come first
		assert.Equal(t, v, aggregated.Text(t, at+"version"))
		assert.Equal(t, v, aggregated.Text(t, at+"resources.0.responseKind.version"))
	}
	index := apitest.Must(t, api, "GET", "/openapi/v3", "")
	for _, v := range []string{"v1", "v1beta1", "v1alpha1"} {
		assert.Contains(t, index.Body, "apis/example.com/"+v+`"`)
	}
}

// The preferred version is the most mature one, whichever is stored.
func TestTheStoredVersionNeedNotBeThePreferredOne(t *testing.T) {
	stored := rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1beta2", Plural: "cogs",
		Versions: []rest.VersionOf[apitest.Cog]{rest.Converted[apitest.Cog](rest.Resource[apitest.CogV1alpha1]{Version: "v1"},
			nil, nil)}}
	api := apitest.New(t, rest.Options{}, stored)
	assert.Equal(t, "v1", apitest.Must(t, api, "GET", "/apis/example.com", "").Text(t, "preferredVersion.version"))
	for _, v := range []string{"v1", "v1beta2"} {
		assert.Equal(t, hashOf("example.com/v1beta2/Cog"),
			apitest.Must(t, api, "GET", "/apis/example.com/"+v, "").Text(t, "resources.0.storageVersionHash"))
	}
	t.Run("nor be served", func(t *testing.T) {
		stored.Stage.NotServed = true
		api := apitest.New(t, rest.Options{}, stored)
		require.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/example.com/v1beta2", "").Code)
		body := strings.Replace(apitest.CogBody(`{"teeth":4}`), "example.com/v1beta2", "example.com/v1", 1)
		require.Equal(t, 201, apitest.Do(t, api, "POST", apitest.Cogs, body).Code)
		assert.Equal(t, "example.com/v1", apitest.Must(t, api, "GET", apitest.Cogs+"/a", "").Text(t, "apiVersion"))
		assert.NotContains(t, apitest.Must(t, api, "GET", "/openapi/v2", "").Body, "v1beta2")
	})
}

func TestAggregatedDiscoveryInAnOlderForm(t *testing.T) {
	a := apitest.Do(t, apitest.NewCogs(t), "GET", "/apis", "", "Accept",
		"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList")
	require.Equal(t, 406, a.Code, a.Body)
}
