package resource_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestClusterScope(t *testing.T) {
	api := apitest.New(t, rest.Options{},
		rest.Resource[apitest.Zone]{Group: "example.com", Version: "v1", Plural: "zones", Scope: rest.ScopeCluster})
	const zones = apitest.ExampleV1 + "/zones"
	body := func(metadata string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{` + metadata + `},"spec":{"size":1}}`
	}
	zone := func(rv, more string) string {
		return `{"apiVersion":"example.com/v1","kind":"Zone","metadata":{"name":"a","uid":"uid-1","generation":1,"creationTimestamp":"` +
			apitest.NowText + `","resourceVersion":"` + rv + `"` + more +
			`},"spec":{"size":1,"color":"red","replicas":1,"template":{"image":"none"}}}`
	}
	apitest.WantJSON(t, apitest.Do(t, api, "POST", zones, body(`"name":"a"`)), 201, zone("2", ""))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", zones+"/a", ""), 200, zone("2", ""))
	apitest.WantJSON(t, apitest.MergePatch(t, api, zones+"/a", `{"metadata":{"labels":{"x":"y"}}}`), 200,
		zone("3", `,"labels":{"x":"y"}`))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", zones+"?labelSelector=x&fieldSelector=metadata.name%3Da", ""), 200,
		`{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3","continue":""},"items":[`+zone("3",
			`,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 400, apitest.Do(t, api, "GET", zones+"?fieldSelector=metadata.namespace%3Ddefault", "").Code,
		"it has none to select by")
	assert.NotContains(t, apitest.Must(t, api, "POST", zones+"?dryRun=All", body(`"name":"b","namespace":"default"`)).Body,
		`"namespace"`, "that of a body is dropped")
	for _, target := range []string{apitest.ExampleV1 + "/namespaces/default/zones",
		apitest.ExampleV1 + "/namespaces/default/zones/a"} {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", target, "").Code)
	}
	apitest.WantJSON(t, apitest.Do(t, api, "DELETE", zones, ""), 200,
		`{"kind":"ZoneList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3","continue":""},"items":[`+zone("3",
			`,"labels":{"x":"y"}`)+`]}`)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", zones+"/a", "").Code)
}
