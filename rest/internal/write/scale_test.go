package write_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A write to /scale that is done is never answered with an error.
func TestScaleOfZero(t *testing.T) {
	type pumpSpec struct {
		Replicas int32 `json:"replicas,omitempty"`
		Power    int32 `json:"power,omitempty"`
	}
	type Pump struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               pumpSpec           `json:"spec"`
		Status             apitest.DialStatus `json:"status,omitzero"`
	}
	const pumps = "/apis/example.com/v1/namespaces/default/pumps"
	const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":`
	for _, c := range []struct {
		name, begin, method, contentType, body string
		code                                   int
		message, want                          string
		answered                               any
	}{
		{"a PUT of zero", `{"replicas":2}`, "PUT", "application/json", scale + `{"replicas":0}}`, 200, "", `{"replicas":0}`,
			nil},
		{"a PUT of zero as Go writes it", `{"replicas":2}`, "PUT", "application/json", scale + `{}}`, 200, "",
			`{"replicas":0}`, nil},
		{"a patch to zero", `{"replicas":2}`, "PATCH", apitest.TypeMergePatch, `{"spec":{"replicas":0}}`, 200, "",
			`{"replicas":0}`, nil},
		{"an apply of zero", `{"replicas":2}`, "PATCH", apitest.TypeApply, scale + `{"replicas":0}}`, 200, "",
			`{"replicas":0}`, nil},
		{"a PUT over no count", `{}`, "PUT", "application/json", scale + `{"replicas":4}}`, 200, "", `{"replicas":4}`, 4.0},
		{"a PUT of zero over no count", `{}`, "PUT", "application/json", scale + `{}}`, 200, "", `{"replicas":0}`, nil},
		{"a patch over no count", `{}`, "PATCH", apitest.TypeMergePatch, `{"spec":{"replicas":4}}`, 200, "", `{"replicas":4}`,
			4.0},
		{"a patch to zero over no count", `{}`, "PATCH", apitest.TypeMergePatch, `{"spec":{"replicas":0}}`, 200, "",
			`{"replicas":0}`, nil},
		{"a patch without a count over none", `{}`, "PATCH", apitest.TypeMergePatch, `{"metadata":{"labels":{"a":"b"}}}`, 400,
			`the spec replicas field ".spec.replicas" cannot be empty`, `{}`, nil},
		{"an apply over no count", `{}`, "PATCH", apitest.TypeApply, scale + `{"replicas":4}}`, 200, "", `{"replicas":4}`,
			4.0},
		{"an apply of nothing over no count", `{}`, "PATCH", apitest.TypeApply, scale + `{}}`, 200, "", `{}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{},
				rest.Resource[Pump]{Group: "example.com", Version: "v1", Plural: "pumps", Names: rest.Names{Kind: "Pump"},
					Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}})
			apitest.Must(t, api, "POST", pumps,
				`{"apiVersion":"example.com/v1","kind":"Pump","metadata":{"name":"a"},"spec":`+c.begin+`}`)
			target := pumps + "/a/scale?fieldManager=m"
			if c.contentType == apitest.TypeApply {
				target += "&force=true"
			}
			a := apitest.Do(t, api, c.method, target, c.body, "Content-Type", c.contentType)
			require.Equal(t, c.code, a.Code, a.Body)
			if c.message != "" {
				assert.Equal(t, c.message, a.Text(t, "message"))
			} else {
				assert.Equal(t, c.answered, a.Value(t, "spec.replicas"))
			}
			got, err := json.Marshal(apitest.Must(t, api, "GET", pumps+"/a", "").Value(t, "spec"))
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(got))
		})
	}
	t.Run("a count that its owner gives up", func(t *testing.T) {
		api := apitest.New(t, rest.Options{},
			rest.Resource[Pump]{Group: "example.com", Version: "v1", Plural: "pumps", Names: rest.Names{Kind: "Pump"},
				Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}})
		apitest.Must(t, api, "POST", pumps,
			`{"apiVersion":"example.com/v1","kind":"Pump","metadata":{"name":"a"},"spec":{"power":0}}`)
		for _, spec := range []string{`{"replicas":4}`, `{}`} {
			apitest.Must(t, api, "PATCH", pumps+"/a/scale?fieldManager=m", scale+spec+`}`, "Content-Type", apitest.TypeApply)
		}
		assert.Equal(t, map[string]any{"power": 0.0}, apitest.Must(t, api, "GET", pumps+"/a", "").Value(t, "spec"))
	})
}

// A hook may spoil the selector that /scale shows. The write is done and answered.
func TestScaleAfterAHook(t *testing.T) {
	for name, selector := range map[string]string{"text": `"x y z =="`,
		"operator": `{"matchExpressions":[{"key":"a","operator":"Bogus"}]}`,
		"type":     `{"matchLabels":1}`} {
		t.Run(name, func(t *testing.T) {
			api, _ := apitest.NewDials(t, func(r *rest.Resource[apitest.Dial]) {
				r.Scale.Selector = ".spec.raw"
				r.Hooks.Prepare = func(_ context.Context, d, old *apitest.Dial) error {
					if old != nil {
						d.Spec.Raw = json.RawMessage(selector)
					}
					return nil
				}
			})
			apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{}`))
			for _, count := range []string{"1", "0"} {
				apitest.Must(t, api, "PATCH", apitest.Dials+"/a/scale", `{"spec":{"replicas":`+count+`}}`, "Content-Type",
					apitest.TypeMergePatch)
				apitest.WantDial(t, api, "spec.replicas", count)
			}
		})
	}
}

// The first write to /scale that repeats the count gives the count an entry of its own, without a time. It stays the
// owner's. Further repetitions change nothing, whoever sends them and whoever owns the count.
func TestScaleToThePresentCount(t *testing.T) {
	type reelSpec struct {
		Replicas int32 `json:"replicas,omitempty"`
		Length   int32 `json:"length,omitempty"`
	}
	type Reel struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               reelSpec           `json:"spec"`
		Status             apitest.DialStatus `json:"status,omitzero"`
	}
	const reels = "/apis/example.com/v1/namespaces/default/reels"
	const scale = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":2}}`
	const reel = `{"apiVersion":"example.com/v1","kind":"Reel","metadata":{"name":"a"},"spec":{"replicas":2,"length":1}}`
	for _, dialect := range []rest.Dialect{rest.DialectCustom, rest.DialectBuiltin} {
		api := apitest.New(t, rest.Options{},
			rest.Resource[Reel]{Group: "example.com", Version: "v1", Plural: "reels", Wire: rest.Wire{Dialect: dialect},
				Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}})
		get := func() apitest.Answer { return apitest.Must(t, api, "GET", reels+"/a", "") }
		// counted returns who owns the count, and whether its entry has a time.
		counted := func() (owners []string) {
			for _, e := range get().Value(t, "metadata.managedFields").([]any) {
				entry := e.(map[string]any)
				if fields, _ := entry["fieldsV1"].(map[string]any)["f:spec"].(map[string]any); fields["f:replicas"] != nil {
					owners = append(owners, fmt.Sprint(entry["manager"], " ", entry["time"] != nil))
				}
			}
			return owners
		}
		apitest.Must(t, api, "POST", reels+"?fieldManager=creator", reel)
		created := get()
		assert.Equal(t, []string{"creator true"}, counted(), dialect)

		apitest.Must(t, api, "PUT", reels+"/a/scale?fieldManager=first", scale)
		assert.Equal(t, []string{"creator false"}, counted(), dialect)
		assert.NotEqual(t, created.Value(t, "metadata.resourceVersion"), get().Value(t, "metadata.resourceVersion"), dialect)
		assert.Equal(t, created.Value(t, "metadata.generation"), get().Value(t, "metadata.generation"), dialect)
		repeat := func() {
			before := get()
			apitest.Must(t, api, "PUT", reels+"/a/scale?fieldManager=first", scale)
			apitest.Must(t, api, "PUT", reels+"/a/scale?fieldManager=second", scale)
			apitest.Must(t, api, "PATCH", reels+"/a/scale?fieldManager=third", `{"spec":{"replicas":2}}`, "Content-Type",
				apitest.TypeMergePatch)
			assert.Equal(t, before.Body, get().Body, dialect)
		}
		repeat()

		apitest.Must(t, api, "PATCH", reels+"/a?fieldManager=labeler", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type",
			apitest.TypeMergePatch)
		assert.Equal(t, []string{"creator true"}, counted(), dialect)
		apitest.Must(t, api, "PUT", reels+"/a/scale?fieldManager=other", strings.Replace(scale, ":2", ":3", 1))
		apitest.Must(t, api, "PUT", reels+"/a/scale?fieldManager=owner", scale)
		assert.Equal(t, []string{"owner false"}, counted(), dialect)
		repeat()
	}
}

// As in Kubernetes, a count without an owner stays so if a client updates it through /scale.
func TestScaleOfACountWithoutAnOwner(t *testing.T) {
	for _, dialect := range []rest.Dialect{rest.DialectCustom, rest.DialectBuiltin} {
		api := apitest.New(t, rest.Options{}, rest.Resource[apitest.Dial]{Group: "example.com", Version: "v1", Plural: "dials",
			Wire:  rest.Wire{Dialect: dialect},
			Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"}})
		const dials = "/apis/example.com/v1/namespaces/default/dials"
		apitest.Must(t, api, "PATCH", dials+"/a?fieldManager=creator", `{"apiVersion":"example.com/v1","kind":"Dial",`+
			`"metadata":{"name":"a"},"spec":{}}`, "Content-Type", apitest.TypeApply)
		before := apitest.Must(t, api, "GET", dials+"/a", "")
		apitest.Must(t, api, "PUT", dials+"/a/scale?fieldManager=scaler",
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":4}}`)
		after := apitest.Must(t, api, "GET", dials+"/a", "")
		assert.Equal(t, 4.0, after.Value(t, "spec.replicas"), dialect)
		assert.Equal(t, before.Value(t, "metadata.managedFields"), after.Value(t, "metadata.managedFields"), dialect)
	}
}

func TestScaleWithoutACount(t *testing.T) {
	scale := func(rv, spec string) string {
		return `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"` + rv +
			`","creationTimestamp":"` + apitest.NowText + `"},"spec":{` + spec + `},"status":{"replicas":0}}`
	}
	withWidget := func(t *testing.T) *rest.API {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		return api
	}
	t.Run("the kind need not be named", func(t *testing.T) {
		apitest.WantJSON(t, apitest.Do(t, withWidget(t), "PUT", apitest.Widgets+"/a/scale",
			`{"kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":2}}`), 200, scale("3", `"replicas":2`))
	})
	t.Run("the name must", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, withWidget(t), "PUT", apitest.Widgets+"/a/scale",
			`{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":2}}`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	})
	t.Run("a null count is not written", func(t *testing.T) {
		api := withWidget(t)
		apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", `{"spec":{"replicas":null}}`), 200,
			scale("3", ""))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a/scale", ""), 200, scale("3", ""))
		assert.Equal(t, float64(0), apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Value(t, "spec.replicas"))
	})
	t.Run("a count that its owner lets go is the default again", func(t *testing.T) {
		api := withWidget(t)
		apply := func(spec string) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=m&force=true",
				`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{`+spec+`}}`, "Content-Type",
				apitest.TypeApply)
		}
		assert.Equal(t, float64(5), apply(`"replicas":5`).Value(t, "spec.replicas"))
		a := apply("")
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, float64(1), a.Value(t, "spec.replicas"))
	})
}

func TestPatchesOfScale(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets+"?fieldManager=m",
		apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"replicas":2}`))
	scale := func(media, patch string) apitest.Answer {
		return apitest.Do(t, api, "PATCH", apitest.Widgets+"/a/scale?fieldManager=s", patch, "Content-Type", media)
	}
	const before = `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"default","uid":"uid-1","resourceVersion":"2","creationTimestamp":"2026-01-02T03:04:05Z",` +
		`"managedFields":[{"manager":"m","operation":"Update","apiVersion":"autoscaling/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},`
	for _, c := range []struct{ patch, text, fault string }{
		{`{"spec":{"replicas":"x"}}`, before + `"spec":{"replicas":"x"},"status":{"replicas":0}}`,
			`json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`},
		{`{"spec":[]}`, before + `"spec":[],"status":{"replicas":0}}`,
			`json: cannot unmarshal array into Go struct field Scale.spec of type v1.ScaleSpec`},
		{`{"kind":"X"}`, strings.Replace(before, `"Scale"`, `"X"`, 1) + `"spec":{"replicas":2},"status":{"replicas":0}}`,
			apitest.Unregistered("X", "autoscaling/v1")},
	} {
		a := scale(apitest.TypeMergePatch, c.patch)
		assert.Equal(t, 422, a.Code)
		assert.Equal(t, ` "" is invalid: patch: Invalid value: `+strconv.Quote(c.text)+`: `+c.fault, a.Text(t, "message"))
	}
	apitest.WantFailure(t, scale(apitest.TypeMergePatch, `{"metadata":null}`), 400, "BadRequest",
		"the name of the object (a based on URL) was undeterminable: name must be provided", "")
	a := scale(apitest.TypeApply,
		`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":3}}`)
	assert.Equal(t, `Apply failed with 1 conflict: conflict with "m" using autoscaling/v1: .spec.replicas`,
		a.Text(t, "message"))

	assert.Equal(t, 200, scale(apitest.TypeMergePatch, `{"kind":null,"spec":{"replicas":5}}`).Code)
	got := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body
	assert.Contains(t, got,
		`{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"s","operation":"Update","subresource":"scale"}`)
	assert.Equal(t, 200, scale(apitest.TypeMergePatch, `{"spec":{"replicas":0}}`).Code)
	assert.NotContains(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body, `f:replicas`)
}
