package write_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestStatusIsWrittenAlone(t *testing.T) {
	for _, c := range []struct {
		name, method, media, body string
		want                      apitest.StoredWidget
	}{
		{"by PUT", "PUT", "application/json",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2","labels":{"x":"y"},"annotations":{"x":"y"},"finalizers":["example.com/f"],"ownerReferences":[]`,
				`"spec":{"size":50,"color":"blue"}`, `"status":{"phase":"Ready","replicas":1}`),
			apitest.StoredWidget{RV: "3", Status: `{"phase":"Ready","replicas":1}`}},
		{"by merge patch", "PATCH", apitest.TypeMergePatch,
			`{"metadata":{"labels":{"x":"y"}},"spec":{"size":9},"status":{"phase":"Pending"}}`,
			apitest.StoredWidget{RV: "3", Status: `{"phase":"Pending"}`}},
		{"by JSON patch", "PATCH", apitest.TypeJSONPatch,
			`[{"op":"add","path":"/status","value":{"phase":"Failed"}},{"op":"replace","path":"/spec/size","value":9}]`,
			apitest.StoredWidget{RV: "3", Status: `{"phase":"Failed"}`}},
		{"a spec that would not be valid does not matter", "PATCH", apitest.TypeMergePatch,
			`{"spec":{"size":1000},"status":{"phase":"Pending"}}`, apitest.StoredWidget{RV: "3", Status: `{"phase":"Pending"}`}},
		{"a change of nothing but the spec is none", "PATCH", apitest.TypeMergePatch, `{"spec":{"size":44}}`,
			apitest.StoredWidget{}},
		{"conditions", "PATCH", apitest.TypeMergePatch,
			`{"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-01-02T03:04:05.678+01:00"}],"observedGeneration":1}}`,
			apitest.StoredWidget{RV: "3",
				Status: `{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-01-02T03:04:05.678+01:00"}],"observedGeneration":1}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			a := apitest.Do(t, api, c.method, apitest.Widgets+"/a/status", c.body, "Content-Type", c.media)
			apitest.WantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body)
			assert.Equal(t, a.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a/status", "").Body,
				"a GET of the status answers the whole object")
		})
	}
}

func TestSpecIsWrittenWithoutTheStatus(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "PATCH", apitest.Widgets+"/a/status", `{"status":{"phase":"Pending","observedGeneration":1}}`,
		"Content-Type", apitest.TypeMergePatch)
	want := apitest.StoredWidget{RV: "4", Generation: 2, Spec: apitest.SpecOfSizeTwo,
		Status: `{"phase":"Pending","observedGeneration":1}`}.String()
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a",
		`{"spec":{"size":2},"status":{"phase":"Failed"}}`), 200, want)
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"status":null}`), 200, want)
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
		apitest.WidgetBody(`"name":"a","resourceVersion":"4"`, `"spec":{"size":2}`)), 200, want)
}

func TestStatusCanBeTakenAway(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "PATCH", apitest.Widgets+"/a/status", `{"status":{"phase":"Ready","replicas":2}}`, "Content-Type",
		apitest.TypeMergePatch)
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"phase":null}}`), 200,
		apitest.StoredWidget{RV: "4", Status: `{"replicas":2}`}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a/status",
		apitest.WidgetBody(`"name":"a","resourceVersion":"4"`)), 200, apitest.StoredWidget{RV: "5"}.String())
}

func TestStatusRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	status := apitest.Widgets + "/a/status"
	t.Run("a value", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.MergePatch(t, api, status, `{"status":{"phase":"Bogus"}}`), "Widget.example.com", "a",
			apitest.NotSupported("status.phase", `Unsupported value: "Bogus": supported values: "Pending", "Ready", "Failed"`))
		apitest.WantInvalid(t, apitest.MergePatch(t, api, status, `{"status":{"conditions":[{"type":"A"}]}}`),
			"Widget.example.com", "a", apitest.Required("status.conditions[0].status", "Required value"))
	})
	t.Run("an update without a version", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.Do(t, api, "PUT", status,
			apitest.WidgetBody(`"name":"a"`, `"status":{"phase":"Ready"}`)), "widgets.example.com", "a",
			apitest.Invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
	})
	t.Run("an absent object", func(t *testing.T) {
		for _, method := range []string{"GET", "PUT", "PATCH"} {
			a := apitest.Do(t, api, method, apitest.Widgets+"/none/status",
				map[string]string{"PUT": apitest.WidgetBody(`"name":"none","resourceVersion":"2"`),
					"PATCH": `{"status":{}}`}[method],
				"Content-Type", map[string]string{"PUT": "application/json", "PATCH": apitest.TypeMergePatch}[method])
			apitest.WantFailure(t, a, 404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		}
	})
	t.Run("other verbs", func(t *testing.T) {
		for method, verb := range map[string]string{"POST": "create", "DELETE": "delete"} {
			apitest.WantFailure(t, apitest.Do(t, api, method, status, ""), 405, "MethodNotAllowed",
				verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
	})
	t.Run("an absent subresource", func(t *testing.T) {
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a/bogus", ""), 404, "NotFound",
			`widgets.example.com "a" not found`, apitest.AboutWidget("a"))
	})
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

func TestStatusDryRun(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.WantJSON(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status?dryRun=All", `{"status":{"phase":"Ready"}}`),
		200, apitest.StoredWidget{Status: `{"phase":"Ready"}`}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

// The generation counts changes of the spec, and no others.
func TestGenerationCountsDesiredState(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, step := range []struct {
		target, patch string
		generation    float64
	}{
		{"/a", `{"spec":{"size":2}}`, 2},
		{"/a", `{"spec":{"size":2}}`, 2},
		{"/a", `{"metadata":{"labels":{"a":"b"}}}`, 2},
		{"/a", `{"metadata":{"generation":77}}`, 2},
		{"/a/status", `{"status":{"phase":"Ready"}}`, 2},
		{"/a/scale", `{"spec":{"replicas":7}}`, 3},
		{"/a", `{"spec":{"size":3,"color":"blue"}}`, 4},
	} {
		a := apitest.MergePatch(t, api, apitest.Widgets+step.target, step.patch)
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, step.generation, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Value(t, "metadata.generation"),
			"%s %s", step.target, step.patch)
	}
}

const scaleOf = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + apitest.NowText + `","resourceVersion":"`

func TestScale(t *testing.T) {
	scale := apitest.Widgets + "/a/scale"
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.WantJSON(t, apitest.Do(t, api, "GET", scale, ""), 200,
		scaleOf+`2"},"spec":{"replicas":1},"status":{"replicas":0}}`)
	apitest.Must(t, api, "PATCH", apitest.Widgets+"/a/status", `{"status":{"replicas":2,"selector":"app=w"}}`,
		"Content-Type", apitest.TypeMergePatch)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", scale, ""), 200,
		scaleOf+`3"},"spec":{"replicas":1},"status":{"replicas":2,"selector":"app=w"}}`)

	apitest.WantJSON(t, apitest.MergePatch(t, api, scale, `{"spec":{"replicas":5},"status":{"replicas":99}}`), 200,
		scaleOf+`4"},"spec":{"replicas":5},"status":{"replicas":2,"selector":"app=w"}}`)
	put := func(version string) apitest.Answer {
		return apitest.Do(t, api, "PUT", scale,
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"default"`+version+
				`},"spec":{"replicas":7}}`)
	}
	assert.Equal(t, 409, put(`,"resourceVersion":"2"`).Code)
	apitest.WantJSON(t, put(""), 200, scaleOf+`5"},"spec":{"replicas":7},"status":{"replicas":2,"selector":"app=w"}}`)
	assert.Equal(t, float64(7), apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Value(t, "spec.replicas"))

	apitest.WantInvalid(t, apitest.MergePatch(t, api, scale, `{"spec":{"replicas":-1}}`), "Widget.example.com", "a",
		apitest.Invalid("spec.replicas", "Invalid value: -1: spec.replicas in body should be greater than or equal to 0"),
		apitest.Invalid(".spec.replicas", "Invalid value: -1: should be a non-negative integer"))
	apitest.WantInvalid(t, apitest.MergePatch(t, api, apitest.Widgets+"/a/status", `{"status":{"replicas":-1}}`),
		"Widget.example.com", "a", apitest.Invalid(".status.replicas", "Invalid value: -1: should be a non-negative integer"))
	assert.Equal(t, 405, apitest.Do(t, api, "DELETE", scale, "").Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/none/scale", "").Code)
}
