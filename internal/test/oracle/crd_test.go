package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
)

// readmeWidgets is the kind of the README.
func readmeWidgets() rest.Definition {
	type WidgetSpec struct {
		Color string `json:"color,omitempty" api:"enum=Red|Green|Blue,default=Red,doc='What it is painted in.'"`
		Size  int32  `json:"size" api:"min=1,max=10,doc='How large it is.'"`
	}
	type WidgetStatus struct {
		ReadySize *int32 `json:"readySize,omitempty" api:"min=0,max=10"`
	}
	type Widget struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`

		Spec   WidgetSpec   `json:"spec"`
		Status WidgetStatus `json:"status,omitzero"`
	}
	return rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets",
		Columns: []rest.Column{{Name: "Size", Type: "integer", Path: ".spec.size"}}}
}

// Wide covers the features that the other kinds do not use: unions, immutable fields, rules, all number types, and
// names that rules must escape.
type Wide struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               wideSpec `json:"spec"`
}

type wideSpec struct {
	Owner      string                `json:"owner" api:"immutable,maxLength=20"`
	Zone       *string               `json:"zone-name,omitempty" api:"immutable,maxLength=20"`
	Ports      []widePort            `json:"ports,omitempty" api:"list=map,key=name,maxItems=10"`
	Labels     map[string]string     `json:"labels,omitempty" api:"values.immutable,values.maxLength=10,maxProperties=10"`
	Tiny       int8                  `json:"tiny,omitempty"`
	Short      uint16                `json:"short,omitempty"`
	Long       uint64                `json:"long,omitempty"`
	Half       float64               `json:"half,omitempty" api:"min=0,exclusiveMin,max=0.5,multipleOf=0.25"`
	When       apimeta.Time          `json:"when,omitzero"`
	Selector   apimeta.LabelSelector `json:"selector,omitzero"`
	Conditions []apimeta.Condition   `json:"conditions,omitempty" api:"list=map,key=type"`
	Source     wideSource            `json:"source,omitzero"`
	Target     *wideTarget           `json:"target,omitempty"`
	Sink       wideSink              `json:"sink,omitzero"`
	Empty      struct{}              `json:"empty,omitzero"`
}

type widePort struct {
	Name string `json:"name" api:"maxLength=20"`
	Port int32  `json:"port,omitempty" api:"immutable"`
}

type wideSource struct {
	File *string `json:"file,omitempty" api:"member,maxLength=20"`
	URL  *string `json:"namespace,omitempty" api:"member,maxLength=20"`
}

type wideSink struct {
	File *string `json:"file,omitempty" api:"member,atMostOne,maxLength=20"`
	Net  *string `json:"net,omitempty" api:"member,maxLength=20"`
}

type wideTarget struct {
	Type string  `json:"type" api:"discriminator,enum=Disk|Net"`
	Disk *string `json:"disk,omitempty" api:"member"`
	Net  *string `json:"net,omitempty" api:"member"`
}

func wides() rest.Resource[Wide] {
	rules := cel.New(cel.Rules{"wideSpec": {{Rule: "!has(self.tiny) || self.tiny < 100", Message: "too much",
		FieldPath: ".tiny"}}})
	return rest.Resource[Wide]{Group: "example.com", Version: "v1", Plural: "wides", Scope: rest.ScopeCluster,
		Rules: rules}
}

// decodedCRD decodes a manifest as an API server does, and sets the defaults. It fails the test for unknown fields.
func decodedCRD(t testing.TB, yaml []byte) *apiextensions.CustomResourceDefinition {
	t.Helper()
	scheme := runtime.NewScheme()
	install.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	obj, err := runtime.Decode(codecs.UniversalDecoder(apiextensionsv1.SchemeGroupVersion), yaml)
	require.NoError(t, err)
	v1, internal := obj.(*apiextensionsv1.CustomResourceDefinition), &apiextensions.CustomResourceDefinition{}
	scheme.Default(v1)
	require.NoError(t, scheme.Convert(v1, internal, nil))
	internal.Status.StoredVersions = []string{internal.Spec.Versions[0].Name}
	return internal
}

func exported(t testing.TB, d rest.Definition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	yaml, losses, err := crd.Manifest(d)
	require.NoError(t, err)
	require.Empty(t, losses)
	definition := decodedCRD(t, yaml)
	require.Empty(t, crdvalidation.ValidateCustomResourceDefinition(context.Background(), definition), "%s", yaml)
	return definition
}

// An API server accepts the exported manifests.
func TestExportedCRDsAreValid(t *testing.T) {
	for name, d := range map[string]rest.Definition{"conformance": widget.Resource(), "README": readmeWidgets(),
		"wide": wides()} {
		t.Run(name, func(t *testing.T) { exported(t, d) })
	}
}

// The exported manifest of Widget equals the manifest with which the transcripts were recorded.
func TestExportedCRDIsTheRecordedOne(t *testing.T) {
	recorded, err := os.ReadFile("../../../rest/conformance/fixtures/widget-crd.yaml")
	require.NoError(t, err)
	want, got := decodedCRD(t, recorded), exported(t, widget.Resource())
	for _, c := range []*apiextensions.CustomResourceDefinition{want, got} {
		schema := c.Spec.Validation
		if schema == nil {
			schema = c.Spec.Versions[0].Schema
		}
		for _, known := range []string{"apiVersion", "kind", "metadata"} { // every cluster knows them
			delete(schema.OpenAPIV3Schema.Properties, known)
		}
	}
	assert.Equal(t, asJSON(t, want.Spec), asJSON(t, got.Spec))
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}

// servedTwice serves a kind of Go, and returns the reference of its exported definition.
func servedTwice(t testing.TB, d rest.Definition) (*crdHost, *reference) {
	t.Helper()
	api, err := rest.New(rest.Options{}, d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return &crdHost{api: api}, newReference(t, exported(t, d), "v1")
}

// scrambled changes some places of an object at random.
func scrambled(r *rand.Rand, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch {
			case oneIn(r, 12) && depth > 0:
				delete(out, key)
			case oneIn(r, 3):
				out[key] = scrambled(r, v[key], depth+1)
			}
		}
		if depth > 0 && oneIn(r, 8) {
			out[pickText(r, "unknown", "name", "count", "disk", "net", "file")] = anything(r)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			if oneIn(r, 2) {
				out[i] = scrambled(r, out[i], depth+1)
			}
		}
		if len(out) > 0 && oneIn(r, 4) {
			out = append(out, out[0])
		}
		return out
	}
	if oneIn(r, 6) {
		return anything(r)
	}
	switch v := v.(type) {
	case string:
		return pickText(r, v, v+"x", "red", "Blue", "", "Net", "a b", strings.Repeat("x", 30))
	case int64:
		return []any{v, v + 1, int64(0), int64(-1), int64(1000), 2.5, int64(1) << 40}[r.Intn(7)]
	case float64:
		return []any{v, 0.25, 0.0, -1.5, int64(3)}[r.Intn(5)]
	}
	return v
}

// samples are valid objects with every field.
var samples = map[string]string{
	"conformance": `{"spec":{"size":3,"color":"green","owner":"jane","code":"abc","replicas":2,"big":7,"weight":1.5,"paused":true,"note":null,"port":"80%","tags":["a","b"],"steps":["x"],
		"parts":[{"name":"p","count":2,"kind":"bolt"},{"name":"q"}],"settings":{"k":"v"},"limits":{"l":"m"},"template":{"image":"i","args":["a"]},"extra":{"deep":{"er":[1]}}}}`,
	"README": `{"spec":{"color":"Green","size":3}}`,
	"wide": `{"spec":{"owner":"o","zone-name":"z","ports":[{"name":"a","port":1},{"name":"b"}],"labels":{"k":"v"},"tiny":5,"short":7,"long":9,"half":0.25,"when":"2024-01-02T03:04:05Z",
		"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},
		"conditions":[{"type":"Ready","status":"True","reason":"R","message":"m","lastTransitionTime":"2024-01-02T03:04:05Z"}],
		"source":{"file":"f"},"target":{"type":"Disk","disk":"d"},"sink":{"net":"n"},"empty":{}}}`,
}

// An API server and our API store the same objects, and refuse the others for the same reasons.
func TestExportedCRDsServeLikeTheKind(t *testing.T) {
	for name, d := range map[string]rest.Definition{"conformance": widget.Resource(), "README": readmeWidgets(),
		"wide": wides()} {
		t.Run(name, func(t *testing.T) {
			h, r := servedTwice(t, d)
			var sample map[string]any
			require.NoError(t, utiljson.Unmarshal([]byte(samples[name]), &sample))
			accepted, refused := 0, 0
			rounds(t, 100, func(t *testing.T, at round) {
				obj := scrambled(at.Rand, sample, 0).(map[string]any)
				obj["apiVersion"], obj["kind"], obj["metadata"] = "example.com/v1", r.kind.Kind, map[string]any{"name": "a"}
				want, got := r.create(t, obj), h.send(t, "POST", r.collection(obj)+"?dryRun=All&fieldValidation=Warn", obj)
				if name == "wide" && want.causes != nil && got.causes != nil {
					want.causes = got.causes // its unions are rules there
				}
				requireLike(t, want, got, "create", obj)
				if got.object == nil {
					refused++
				} else {
					accepted++
				}
			})
			assert.Positive(t, accepted)
			assert.Positive(t, refused)
		})
	}
}

// An API server refuses the same updates as our API, because immutable fields and unions become rules of the manifest.
func TestExportedCRDsRefuseTheSameChanges(t *testing.T) {
	h, r := servedTwice(t, wides())
	var sample map[string]any
	require.NoError(t, utiljson.Unmarshal([]byte(samples["wide"]), &sample))
	sample["apiVersion"], sample["kind"], sample["metadata"] = "example.com/v1", "Wide", map[string]any{"name": "a"}
	created := h.send(t, "POST", r.collection(sample), sample)
	require.Equal(t, http.StatusCreated, created.code, "%s", created.body)
	var old map[string]any
	require.NoError(t, utiljson.Unmarshal(created.body, &old))
	immutable := 0
	rounds(t, 100, func(t *testing.T, at round) {
		obj := scrambled(at.Rand, sample, 0).(map[string]any)
		obj["apiVersion"], obj["kind"], obj["metadata"] = "example.com/v1", "Wide", old["metadata"]
		want, got := r.update(t, obj, old), h.send(t, "PUT", r.collection(obj)+"/a?dryRun=All", obj)
		if len(want.causes) == 0 && strings.Contains(fmt.Sprint(got.causes), `"array"`) {
			return // upstream accepts any list as a text of a format
		}
		require.Equal(t, len(want.causes) > 0, len(got.causes) > 0, "theirs: %v\nours: %v\n%s", want.causes, got.causes,
			asJSON(t, obj["spec"]))
		if strings.Contains(fmt.Sprint(got.causes), "immutable") && strings.Contains(fmt.Sprint(want.causes), "immutable") {
			immutable++
		}
	})
	assert.Positive(t, immutable)
}
