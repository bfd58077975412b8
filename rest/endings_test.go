package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// As in kube-apiserver, an answer in compact JSON ends with a newline, and one in indented JSON ends without one. /version is always
// indented, and documents of OpenAPI end as they are.
func TestEndsOfAnswers(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	large := strings.Repeat("x", 256<<10)
	must(t, api, "POST", widgets, widgetBody(`"name":"large","annotations":{"large":"`+large[:200<<10]+`"}`))
	const table, partial, partials = "application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	for _, c := range []struct{ name, method, path, accept, end string }{
		{"object", "GET", widgets + "/a", "", "}}\n"},
		{"large object", "GET", widgets + "/large", "", "}}\n"},
		{"list", "GET", widgets, "", "}]}\n"},
		{"empty list", "GET", widgets + "?labelSelector=x", "", "[]}\n"},
		{"table", "GET", widgets, table, "}\n"},
		{"metadata", "GET", widgets + "/a", partial, "}\n"},
		{"list of metadata", "GET", widgets, partials, "]}\n"},
		{"failure", "GET", widgets + "/none", "", "\"code\":404}\n"},
		{"legacy discovery", "GET", "/apis", "", "}\n"},
		{"aggregated discovery", "GET", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "}\n"},
		{"YAML", "GET", widgets + "/a", "application/yaml", "\n"},
		{"status of a deletion", "DELETE", widgets + "/a", "", "}\n"},
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
				got := do(t, api, c.method, path, "", "Accept", c.accept)
				assert.True(t, strings.HasSuffix(got.raw, end), "%q", got.raw[max(0, len(got.raw)-40):])
				assert.False(t, strings.HasSuffix(got.raw, "\n\n"))
				if length := got.Header.Get("Content-Length"); length != "" {
					assert.Equal(t, fmt.Sprint(len(got.raw)), length)
				}
			}
		})
	}
	assert.True(t, strings.HasSuffix(do(t, api, "GET", "/version", "").raw, "\n}"))
	for _, path := range []string{"/openapi/v2", "/openapi/v3"} {
		assert.True(t, strings.HasSuffix(do(t, api, "GET", path, "").raw, "}"), path)
	}
}
