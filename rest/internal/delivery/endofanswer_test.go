package delivery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// As in kube-apiserver, an answer in compact JSON ends with a newline, and one in indented JSON ends without one.
// /version is always indented, and documents of OpenAPI end as they are.
func TestLastByteOfAnswers(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	large := strings.Repeat("x", 256<<10)
	apitest.Must(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"large","annotations":{"large":"`+large[:200<<10]+`"}`))
	const table, partial, partials = "application/json;as=Table;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	for _, c := range []struct{ name, method, path, accept, end string }{
		{"object", "GET", apitest.Widgets + "/a", "", "}}\n"},
		{"large object", "GET", apitest.Widgets + "/large", "", "}}\n"},
		{"list", "GET", apitest.Widgets, "", "}]}\n"},
		{"empty list", "GET", apitest.Widgets + "?labelSelector=x", "", "[]}\n"},
		{"table", "GET", apitest.Widgets, table, "}\n"},
		{"metadata", "GET", apitest.Widgets + "/a", partial, "}\n"},
		{"list of metadata", "GET", apitest.Widgets, partials, "]}\n"},
		{"failure", "GET", apitest.Widgets + "/none", "", "\"code\":404}\n"},
		{"legacy discovery", "GET", "/apis", "", "}\n"},
		{"aggregated discovery", "GET", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
			"}\n"},
		{"YAML", "GET", apitest.Widgets + "/a", "application/yaml", "\n"},
		{"status of a deletion", "DELETE", apitest.Widgets + "/a", "", "}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pretty := range []bool{true, false} { // the deletion is a dry run first
				path, end := c.path, c.end
				if pretty {
					sign := "?"
					if strings.Contains(path, "?") {
						sign = "&"
					}
					path += sign + "pretty=1&dryRun=All"
					if c.accept != "application/yaml" {
						end = "\n}"
					}
				}
				if pretty && (c.name == "aggregated discovery" || c.name == "large object") {
					continue // never indented
				}
				got := apitest.Do(t, api, c.method, path, "", "Accept", c.accept)
				assert.True(t, strings.HasSuffix(got.Raw, end), "%q", got.Raw[max(0, len(got.Raw)-40):])
				assert.False(t, strings.HasSuffix(got.Raw, "\n\n"))
				if length := got.Header.Get("Content-Length"); length != "" {
					assert.Equal(t, fmt.Sprint(len(got.Raw)), length)
				}
			}
		})
	}
	assert.True(t, strings.HasSuffix(apitest.Do(t, api, "GET", "/version", "").Raw, "\n}"))
	for _, path := range []string{"/openapi/v2", "/openapi/v3"} {
		assert.True(t, strings.HasSuffix(apitest.Do(t, api, "GET", path, "").Raw, "}"), path)
	}
}
