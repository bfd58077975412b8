package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStatusIsWrittenAlone(t *testing.T) {
	for _, c := range []struct {
		name, method, media, body string
		want                      stored
	}{
		{"by PUT", "PUT", "application/json", widgetBody(`"name":"a","resourceVersion":"2","labels":{"x":"y"},"annotations":{"x":"y"},"finalizers":["example.com/f"],"ownerReferences":[]`,
			`"spec":{"size":50,"color":"blue"}`, `"status":{"phase":"Ready","replicas":1}`), stored{rv: "3", status: `{"phase":"Ready","replicas":1}`}},
		{"by merge patch", "PATCH", typeMergePatch, `{"metadata":{"labels":{"x":"y"}},"spec":{"size":9},"status":{"phase":"Pending"}}`, stored{rv: "3", status: `{"phase":"Pending"}`}},
		{"by JSON patch", "PATCH", typeJSONPatch, `[{"op":"add","path":"/status","value":{"phase":"Failed"}},{"op":"replace","path":"/spec/size","value":9}]`, stored{rv: "3", status: `{"phase":"Failed"}`}},
		{"a spec that would not be valid does not matter", "PATCH", typeMergePatch, `{"spec":{"size":1000},"status":{"phase":"Pending"}}`, stored{rv: "3", status: `{"phase":"Pending"}`}},
		{"a change of nothing but the spec is none", "PATCH", typeMergePatch, `{"spec":{"size":44}}`, stored{}},
		{"conditions", "PATCH", typeMergePatch, `{"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-01-02T03:04:05.678+01:00"}],"observedGeneration":1}}`,
			stored{rv: "3", status: `{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-01-02T03:04:05.678+01:00"}],"observedGeneration":1}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			a := do(t, api, c.method, widgets+"/a/status", c.body, "Content-Type", c.media)
			wantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, do(t, api, "GET", widgets+"/a", "").Body)
			assert.Equal(t, a.Body, do(t, api, "GET", widgets+"/a/status", "").Body, "a GET of the status answers the whole object")
		})
	}
}

func TestSpecIsWrittenWithoutTheStatus(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	must(t, api, "PATCH", widgets+"/a/status", `{"status":{"phase":"Pending","observedGeneration":1}}`, "Content-Type", typeMergePatch)
	want := stored{rv: "4", generation: 2, spec: sizeTwo, status: `{"phase":"Pending","observedGeneration":1}`}.String()
	wantJSON(t, merge(t, api, widgets+"/a", `{"spec":{"size":2},"status":{"phase":"Failed"}}`), 200, want)
	wantJSON(t, merge(t, api, widgets+"/a", `{"status":null}`), 200, want)
	wantJSON(t, do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"4"`, `"spec":{"size":2}`)), 200, want)
}

func TestStatusCanBeTakenAway(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	must(t, api, "PATCH", widgets+"/a/status", `{"status":{"phase":"Ready","replicas":2}}`, "Content-Type", typeMergePatch)
	wantJSON(t, merge(t, api, widgets+"/a/status", `{"status":{"phase":null}}`), 200, stored{rv: "4", status: `{"replicas":2}`}.String())
	wantJSON(t, do(t, api, "PUT", widgets+"/a/status", widgetBody(`"name":"a","resourceVersion":"4"`)), 200, stored{rv: "5"}.String())
}

func TestStatusRefuses(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	status := widgets + "/a/status"
	t.Run("a value", func(t *testing.T) {
		wantInvalid(t, merge(t, api, status, `{"status":{"phase":"Bogus"}}`), "Widget.example.com", "a",
			notSupported("status.phase", `Unsupported value: "Bogus": supported values: "Pending", "Ready", "Failed"`))
		wantInvalid(t, merge(t, api, status, `{"status":{"conditions":[{"type":"A"}]}}`), "Widget.example.com", "a",
			required("status.conditions[0].status", "Required value"))
	})
	t.Run("an update without a version", func(t *testing.T) {
		wantInvalid(t, do(t, api, "PUT", status, widgetBody(`"name":"a"`, `"status":{"phase":"Ready"}`)), "widgets.example.com", "a",
			invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
	})
	t.Run("a version that is no longer the latest", func(t *testing.T) {
		wantFailure(t, do(t, api, "PUT", status, widgetBody(`"name":"a","resourceVersion":"1"`, `"status":{"phase":"Ready"}`)), 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, aboutWidget("a"))
	})
	t.Run("an object that is not there", func(t *testing.T) {
		for _, method := range []string{"GET", "PUT", "PATCH"} {
			a := do(t, api, method, widgets+"/none/status", map[string]string{"PUT": widgetBody(`"name":"none","resourceVersion":"2"`), "PATCH": `{"status":{}}`}[method],
				"Content-Type", map[string]string{"PUT": "application/json", "PATCH": typeMergePatch}[method])
			wantFailure(t, a, 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none"))
		}
	})
	t.Run("other verbs", func(t *testing.T) {
		for method, verb := range map[string]string{"POST": "create", "DELETE": "delete"} {
			wantFailure(t, do(t, api, method, status, ""), 405, "MethodNotAllowed", verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
	})
	t.Run("a subresource that there is not", func(t *testing.T) {
		wantFailure(t, do(t, api, "GET", widgets+"/a/bogus", ""), 404, "NotFound", `widgets.example.com "a" not found`, aboutWidget("a"))
	})
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

func TestStatusDryRun(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	wantJSON(t, merge(t, api, widgets+"/a/status?dryRun=All", `{"status":{"phase":"Ready"}}`), 200, stored{status: `{"phase":"Ready"}`}.String())
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

// Of two kinds of change only that of the spec is one of the desired state.
func TestGenerationCountsDesiredState(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
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
		a := merge(t, api, widgets+step.target, step.patch)
		assert.Equal(t, 200, a.Code, a.Body)
		assert.Equal(t, step.generation, do(t, api, "GET", widgets+"/a", "").value(t, "metadata.generation"), "%s %s", step.target, step.patch)
	}
}

const scaleOf = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + nowText + `","resourceVersion":"`

func TestScale(t *testing.T) {
	scale := widgets + "/a/scale"
	api := newWidgets(t)
	create(t, api, "a")
	wantJSON(t, do(t, api, "GET", scale, ""), 200, scaleOf+`2"},"spec":{"replicas":1},"status":{"replicas":0}}`)
	must(t, api, "PATCH", widgets+"/a/status", `{"status":{"replicas":2,"selector":"app=w"}}`, "Content-Type", typeMergePatch)
	wantJSON(t, do(t, api, "GET", scale, ""), 200, scaleOf+`3"},"spec":{"replicas":1},"status":{"replicas":2,"selector":"app=w"}}`)

	wantJSON(t, merge(t, api, scale, `{"spec":{"replicas":5},"status":{"replicas":99}}`), 200, scaleOf+`4"},"spec":{"replicas":5},"status":{"replicas":2,"selector":"app=w"}}`)
	put := func(version string) answer {
		return do(t, api, "PUT", scale, `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a","namespace":"default"`+version+`},"spec":{"replicas":7}}`)
	}
	assert.Equal(t, 409, put(`,"resourceVersion":"2"`).Code)
	wantJSON(t, put(""), 200, scaleOf+`5"},"spec":{"replicas":7},"status":{"replicas":2,"selector":"app=w"}}`)
	assert.Equal(t, float64(7), do(t, api, "GET", widgets+"/a", "").value(t, "spec.replicas"))

	wantInvalid(t, merge(t, api, scale, `{"spec":{"replicas":-1}}`), "Widget.example.com", "a",
		invalid("spec.replicas", "Invalid value: -1: spec.replicas in body should be greater than or equal to 0"),
		invalid(".spec.replicas", "Invalid value: -1: should be a non-negative integer"))
	wantInvalid(t, merge(t, api, widgets+"/a/status", `{"status":{"replicas":-1}}`), "Widget.example.com", "a",
		invalid(".status.replicas", "Invalid value: -1: should be a non-negative integer"))
	assert.Equal(t, 405, do(t, api, "DELETE", scale, "").Code)
	assert.Equal(t, 404, do(t, api, "GET", widgets+"/none/scale", "").Code)
}
