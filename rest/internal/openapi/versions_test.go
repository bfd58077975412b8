package openapi_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestOpenAPIOfSeveralVersions(t *testing.T) {
	api := apitest.NewCogs(t)
	for version, want := range map[string]struct {
		fields     []string
		selectable string
		subs       bool
	}{
		"v1":       {[]string{"material", "note", "teeth"}, "spec.material", true},
		"v1beta1":  {[]string{"metal", "oiled", "toothCount"}, "spec.metal", true},
		"v1alpha1": {[]string{"teeth"}, "", false},
	} {
		t.Run(version, func(t *testing.T) {
			v3 := apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", "/openapi/v3/apis/example.com/"+version, ""))
			v2 := apitest.ReadOpenAPI(t, apitest.Do(t, api, "GET", "/openapi/v2", ""))
			for _, d := range []apitest.OpenAPIDocument{v3, v2} {
				schemas := d.Components.Schemas
				if d.Swagger != "" {
					schemas = d.Definitions
				}
				kind, ok := schemas["com.example."+version+".Cog"]
				require.True(t, ok, "a schema for each version")
				require.Len(t, kind.Kinds, 1)
				assert.Equal(t, version, kind.Kinds[0].Version)
				var fields []string
				for name := range d.Property(t, kind, "spec").Properties {
					fields = append(fields, name)
				}
				slices.Sort(fields)
				assert.Equal(t, want.fields, fields)
				if want.selectable == "" {
					assert.Empty(t, kind.Selectable)
				} else {
					require.Len(t, kind.Selectable, 1)
					assert.Equal(t, want.selectable, kind.Selectable[0].FieldPath)
				}
				item := "/apis/example.com/" + version + "/namespaces/{namespace}/cogs/{name}"
				assert.Contains(t, d.Paths, item)
				assert.Equal(t, want.subs, d.Paths[item+"/scale"] != nil)
				assert.Equal(t, want.subs, d.Paths[item+"/status"] != nil)
			}
			for _, other := range []string{"v1", "v1beta1", "v1alpha1"} {
				if other != version {
					assert.NotContains(t, v3.Components.Schemas, "com.example."+other+".Cog", "a document is of one version")
				}
			}
		})
	}
}
