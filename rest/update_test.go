package rest_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sizeTwo = `{"size":2,"color":"red","replicas":1,"template":{"image":"none"}}`

func TestUpdate(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       stored
	}{
		{"replaces the whole object", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`), stored{rv: "3", generation: 2, spec: sizeTwo}},
		{"a change of metadata alone leaves the generation", widgetBody(`"name":"a","resourceVersion":"2","labels":{"x":"y"}`, `"spec":{"size":1,"color":"blue"}`),
			stored{rv: "3", metadata: `"labels":{"x":"y"}`, spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
		{"the status is ignored", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`, `"status":{"phase":"Ready"}`), stored{rv: "3", generation: 2, spec: sizeTwo}},
		{"what the server sets stays", widgetBody(`"name":"a","resourceVersion":"2","namespace":"default","uid":"uid-1","generation":77,"creationTimestamp":"2001-02-03T04:05:06Z","managedFields":[]`, `"spec":{"size":2}`),
			stored{rv: "3", generation: 2, spec: sizeTwo}},
		{"nothing changes, nothing is written", widgetBody(`"name":"a","resourceVersion":"2","labels":{"gone":"soon"}`, `"spec":{"size":1,"color":"blue"}`),
			stored{rv: "2", metadata: `"labels":{"gone":"soon"}`, spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			must(t, api, "POST", widgets, widgetBody(`"name":"a","labels":{"gone":"soon"}`, `"spec":{"size":1,"color":"blue"}`))
			a := do(t, api, "PUT", widgets+"/a", c.body)
			wantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, do(t, api, "GET", widgets+"/a", "").Body)
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	current := func(more string) string {
		return widgetBody(`"name":"a","resourceVersion":"3"`+more, `"spec":{"size":5}`)
	}
	for _, c := range []struct {
		name, target, body            string
		code                          int
		reason, message, errorDetails string
	}{
		{"a version that is no longer the latest", "/a", widgetBody(`"name":"a","resourceVersion":"2"`), 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, aboutWidget("a")},
		{"another uid", "/a", current(`,"uid":"zz"`), 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": StorageError: invalid object, Code: 4, Key: /registry/example.com/widgets/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: uid-1`, aboutWidget("a")},
		{"a uid of something that is gone", "/none", widgetBody(`"name":"none","uid":"zz","resourceVersion":"3"`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"another kind, of a stale version", "/a", `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","resourceVersion":"2"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, aboutWidget("a")},
		{"another name and namespace", "/a", widgetBody(`"name":"b","namespace":"other"`), 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request", ""},
		{"a version that is no number", "/a", widgetBody(`"name":"a","resourceVersion":"abc"`), 400, "BadRequest", `metadata.resourceVersion: Invalid value: "abc": must be a number`, ""},
		{"another name", "/a", widgetBody(`"name":"b","resourceVersion":"3"`), 400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)", ""},
		{"no name", "/a", widgetBody(`"resourceVersion":"3"`), 400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided", ""},
		{"another namespace", "/a", current(`,"namespace":"other"`), 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request", ""},
		{"another version of the API", "/a", `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}}`, 400, "BadRequest",
			"the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)", ""},
		{"no body", "/a", "", 400, "BadRequest",
			"the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)", ""},
		{"an object that is not there", "/none", widgetBody(`"name":"none","resourceVersion":"3"`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"an object that is not there, without a version", "/none", widgetBody(`"name":"none"`), 404, "NotFound", `widgets.example.com "none" not found`, aboutWidget("none")},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newWidgets(t)
			create(t, api, "a")
			before := must(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`))
			wantFailure(t, do(t, api, "PUT", widgets+c.target, c.body), c.code, c.reason, c.message, c.errorDetails)
			assert.Equal(t, before.Body, do(t, api, "GET", widgets+"/a", "").Body, "a refused write changes nothing")
		})
	}
}

func TestUpdateNeedsAVersion(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for name, metadata := range map[string]string{"none": `"name":"a"`, "empty": `"name":"a","resourceVersion":""`, "zero": `"name":"a","resourceVersion":"0"`} {
		t.Run(name, func(t *testing.T) {
			wantInvalid(t, do(t, api, "PUT", widgets+"/a", widgetBody(metadata, `"spec":{"size":2}`)), "widgets.example.com", "a",
				invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
		})
	}
}

func TestUpdateValidates(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	put := func(metadata, spec string) answer {
		return do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`+metadata, `"spec":`+spec))
	}
	wantInvalid(t, put("", `{"size":0,"color":"pink"}`), "Widget.example.com", "a",
		notSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`),
		invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"))
	wantInvalid(t, put(`,"deletionTimestamp":"2026-01-01T00:00:00Z"`, `{"size":1}`), "Widget.example.com", "a",
		invalid("metadata.deletionTimestamp", `Invalid value: "2026-01-01T00:00:00Z": field is immutable`))
	wantInvalid(t, put(`,"deletionGracePeriodSeconds":3`, `{"size":1}`), "Widget.example.com", "a",
		invalid("metadata.deletionGracePeriodSeconds", `Invalid value: 3: field is immutable`))
	wantInvalid(t, put(`,"labels":{"bad key":"v"}`, `{"size":1}`), "Widget.example.com", "a",
		invalid("metadata.labels", `Invalid value: "bad key": `+namePartText))
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
}

func TestUpdateDryRun(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	body := widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)
	wantJSON(t, do(t, api, "PUT", widgets+"/a?dryRun=All", body), 200, stored{rv: "2", generation: 2, spec: sizeTwo}.String())
	wantJSON(t, do(t, api, "GET", widgets+"/a", ""), 200, stored{}.String())
	must(t, api, "PUT", widgets+"/a", body)
	assert.Equal(t, 409, do(t, api, "PUT", widgets+"/a?dryRun=All", body).Code)
	assert.Equal(t, 404, do(t, api, "PUT", widgets+"/none?dryRun=All", widgetBody(`"name":"none","resourceVersion":"2"`)).Code)
}

// Of writers that have all seen one version exactly one gets through.
func TestUpdateLetsOneWriterThrough(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	const writers = 8
	codes := make([]int, writers)
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			codes[i] = do(t, api, "PUT", widgets+"/a", widgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":`+string(rune('2'+i))+`}`)).Code
		})
	}
	wait.Wait()
	won := 0
	for _, code := range codes {
		if code == 200 {
			won++
			continue
		}
		require.Equal(t, 409, code)
	}
	assert.Equal(t, 1, won)
	assert.Equal(t, "3", do(t, api, "GET", widgets+"/a", "").rv(t))
}
