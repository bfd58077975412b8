package validators_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/libopenapi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
)

// Shelf uses most features of a schema.
type Shelf struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ShelfSpec   `json:"spec" api:"doc='What is wanted.'"`
	Status             ShelfStatus `json:"status,omitzero"`
}

type ShelfSpec struct {
	Width    int32                      `json:"width" api:"min=1,max=1000,default=80"`
	Material string                     `json:"material,omitempty" api:"enum=wood|steel,default=wood"`
	Label    string                     `json:"label,omitempty" api:"pattern='^[a-z]+$',maxLength=10"`
	Load     *float64                   `json:"load,omitempty"`
	Tags     []string                   `json:"tags,omitempty" api:"list=set,maxItems=5"`
	Boards   []ShelfBoard               `json:"boards,omitempty" api:"list=map,key=name"`
	Colors   map[string]string          `json:"colors,omitempty" api:"map=atomic"`
	Port     json.RawMessage            `json:"port,omitempty" api:"intOrString"`
	Note     json.RawMessage            `json:"note,omitempty" api:"type=string,nullable"`
	Extra    map[string]json.RawMessage `json:"extra,omitempty"`
	Inner    *ShelfSpec                 `json:"inner,omitempty"`
}

type ShelfBoard struct {
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

type ShelfStatus struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
	Count      int32               `json:"count,omitempty"`
}

type ShelfV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Centimeters int32 `json:"centimeters" api:"min=1"`
	} `json:"spec"`
}

func newAPI(t *testing.T) *rest.API {
	shelves := rest.Resource[Shelf]{
		Group: "library.example.com", Version: "v1", Plural: "shelves",
		Scale: &rest.Scale{SpecReplicas: ".spec.width", StatusReplicas: ".status.count"},
		Versions: []rest.VersionOf[Shelf]{rest.Converted[Shelf](rest.Resource[ShelfV1beta1]{Version: "v1beta1",
			Stage: rest.Stage{Deprecated: true}}, nil, nil)},
	}
	definitions := []rest.Definition{shelves, rest.NamespacesOf[corev1.Namespace](),
		k8s.Resource[corev1.ConfigMap](), k8s.Resource[corev1.Pod](), k8s.Resource[corev1.Service](),
		k8s.Resource[appsv1.Deployment](), k8s.Resource[batchv1.CronJob]()}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{auth.Reviews()}}, definitions...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

func get(t *testing.T, api http.Handler, target string) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Accept", "application/json")
	api.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return w.Body.Bytes()
}

// documents returns the OpenAPI v3 documents by group and version.
func documents(t *testing.T, api http.Handler) map[string][]byte {
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	require.NoError(t, json.Unmarshal(get(t, api, "/openapi/v3"), &index))
	out := map[string][]byte{}
	for name, entry := range index.Paths {
		out[name] = get(t, api, entry.ServerRelativeURL)
	}
	return out
}

func TestOpenAPIv3(t *testing.T) {
	all := documents(t, newAPI(t))
	require.Contains(t, all, "apis/library.example.com/v1")
	require.Contains(t, all, "apis/library.example.com/v1beta1")
	require.Contains(t, all, "apis/apps/v1")
	require.Contains(t, all, "api/v1")
	for name, document := range all {
		t.Run(name, func(t *testing.T) {
			t.Run("kin-openapi", func(t *testing.T) {
				d, err := openapi3.NewLoader().LoadFromData(document)
				require.NoError(t, err)
				require.NoError(t, d.Validate(t.Context()))
				assert.NotEmpty(t, d.Paths.Map())
			})
			t.Run("libopenapi", func(t *testing.T) {
				d, err := libopenapi.NewDocument(document)
				require.NoError(t, err)
				model, err := d.BuildV3Model()
				require.NoError(t, err)
				circles := 0
				for _, circle := range model.Index.GetCircularReferences() {
					if circle.IsInfiniteLoop {
						circles++
					}
				}
				assert.Zero(t, circles, "a type that must contain itself")
				assert.NotZero(t, model.Model.Paths.PathItems.Len())
			})
		})
	}
}

func TestOpenAPIv2(t *testing.T) {
	document := get(t, newAPI(t), "/openapi/v2")
	t.Run("kin-openapi", func(t *testing.T) {
		var d openapi2.T
		require.NoError(t, json.Unmarshal(document, &d))
		d3, err := openapi2conv.ToV3(&d)
		require.NoError(t, err)
		require.NoError(t, d3.Validate(t.Context()))
	})
	t.Run("libopenapi", func(t *testing.T) {
		d, err := libopenapi.NewDocument(document)
		require.NoError(t, err)
		model, err := d.BuildV2Model()
		require.NoError(t, err)
		beta := 0
		for name := range model.Model.Definitions.Definitions.KeysFromOldest() {
			if strings.HasPrefix(name, "com.example.library.v1beta1.") {
				beta++
			}
		}
		assert.NotZero(t, beta)
	})
}
