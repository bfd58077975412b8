package write_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestUpdate(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       apitest.StoredWidget
	}{
		{"replaces the whole object", apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`),
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}},
		{"a change of metadata alone leaves the generation",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2","labels":{"x":"y"}`, `"spec":{"size":1,"color":"blue"}`),
			apitest.StoredWidget{RV: "3", Metadata: `"labels":{"x":"y"}`,
				Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
		{"the status is ignored", apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`,
			`"status":{"phase":"Ready"}`), apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}},
		{"what the server sets stays",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2","namespace":"default","uid":"uid-1","generation":77,"creationTimestamp":"2001-02-03T04:05:06Z","managedFields":[]`, `"spec":{"size":2}`),
			apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}},
		{"nothing changes, nothing is written",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2","labels":{"gone":"soon"}`, `"spec":{"size":1,"color":"blue"}`),
			apitest.StoredWidget{RV: "2", Metadata: `"labels":{"gone":"soon"}`,
				Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.Must(t, api, "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"a","labels":{"gone":"soon"}`, `"spec":{"size":1,"color":"blue"}`))
			a := apitest.Do(t, api, "PUT", apitest.Widgets+"/a", c.body)
			apitest.WantJSON(t, a, 200, c.want.String())
			assert.Equal(t, a.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body)
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	current := func(more string) string {
		return apitest.WidgetBody(`"name":"a","resourceVersion":"3"`+more, `"spec":{"size":5}`)
	}
	for _, c := range []struct {
		name, target, body            string
		code                          int
		reason, message, errorDetails string
	}{
		{"a uid of something that is gone", "/none", apitest.WidgetBody(`"name":"none","uid":"zz","resourceVersion":"3"`),
			404, "NotFound", `widgets.example.com "none" not found`, apitest.AboutWidget("none")},
		{"another kind, of a stale version", "/a",
			`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","resourceVersion":"2"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`, apitest.AboutWidget("a")},
		{"another name and namespace", "/a", apitest.WidgetBody(`"name":"b","namespace":"other"`), 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request", ""},
		{"a resourceVersion that is not a number", "/a", apitest.WidgetBody(`"name":"a","resourceVersion":"abc"`), 400,
			"BadRequest", `metadata.resourceVersion: Invalid value: "abc": must be a number`, ""},
		{"no name", "/a", apitest.WidgetBody(`"resourceVersion":"3"`), 400, "BadRequest",
			"the name of the object (a based on URL) was undeterminable: name must be provided", ""},
		{"another namespace", "/a", current(`,"namespace":"other"`), 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request", ""},
		{"another version of the API", "/a", `{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}}`, 400,
			"BadRequest", "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.NewWidgets(t)
			apitest.CreateWidget(t, api, "a")
			before := apitest.Must(t, api, "PUT", apitest.Widgets+"/a",
				apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`))
			apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Widgets+c.target, c.body), c.code, c.reason, c.message,
				c.errorDetails)
			assert.Equal(t, before.Body, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Body,
				"a refused write changes nothing")
		})
	}
}

func TestUpdateNeedsAVersion(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for name, metadata := range map[string]string{"empty": `"name":"a","resourceVersion":""`,
		"zero": `"name":"a","resourceVersion":"0"`} {
		t.Run(name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
				apitest.WidgetBody(metadata, `"spec":{"size":2}`)), "widgets.example.com", "a",
				apitest.Invalid("metadata.resourceVersion", "Invalid value: 0: must be specified for an update"))
		})
	}
}

func TestUpdateValidates(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	put := func(metadata, spec string) apitest.Answer {
		return apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"2"`+metadata, `"spec":`+spec))
	}
	apitest.WantInvalid(t, put("", `{"size":0,"color":"pink"}`), "Widget.example.com", "a",
		apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`),
		apitest.Invalid("spec.size", "Invalid value: 0: spec.size in body should be greater than or equal to 1"))
	apitest.WantInvalid(t, put(`,"deletionTimestamp":"2026-01-01T00:00:00Z"`, `{"size":1}`), "Widget.example.com", "a",
		apitest.Invalid("metadata.deletionTimestamp", `Invalid value: "2026-01-01T00:00:00Z": field is immutable`))
	apitest.WantInvalid(t, put(`,"deletionGracePeriodSeconds":3`, `{"size":1}`), "Widget.example.com", "a",
		apitest.Invalid("metadata.deletionGracePeriodSeconds", `Invalid value: 3: field is immutable`))
	apitest.WantInvalid(t, put(`,"labels":{"bad key":"v"}`, `{"size":1}`), "Widget.example.com", "a",
		apitest.Invalid("metadata.labels", `Invalid value: "bad key": `+apitest.NamePartText))
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}

func TestUpdateDryRun(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	body := apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a?dryRun=All", body), 200,
		apitest.StoredWidget{RV: "2", Generation: 2, Spec: apitest.SpecOfSizeTwo}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	apitest.Must(t, api, "PUT", apitest.Widgets+"/a", body)
	assert.Equal(t, 409, apitest.Do(t, api, "PUT", apitest.Widgets+"/a?dryRun=All", body).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "PUT", apitest.Widgets+"/none?dryRun=All",
		apitest.WidgetBody(`"name":"none","resourceVersion":"2"`)).Code)
}

// Of several writers that have read one version, exactly one succeeds.
func TestUpdateLetsOneWriterThrough(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	const writers = 8
	codes := make([]int, writers)
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			codes[i] = apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
				apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":`+string(rune('2'+i))+`}`)).Code
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
	assert.Equal(t, "3", apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").ResourceVersion(t))
}

func TestCreateOnUpdate(t *testing.T) {
	api := apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) { r.Wire.CreateOnUpdate = true })
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a", apitest.WidgetBody(`"name":"a"`)), 201,
		apitest.StoredWidget{}.String())
	apitest.WantJSON(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
		apitest.WidgetBody(`"name":"a","resourceVersion":"2"`, `"spec":{"size":2}`)), 200,
		apitest.StoredWidget{RV: "3", Generation: 2, Spec: apitest.SpecOfSizeTwo}.String())
	assert.Equal(t, 422, apitest.Do(t, api, "PUT", apitest.Widgets+"/b",
		apitest.WidgetBody(`"name":"b"`, `"spec":{"size":0}`)).Code)
	apitest.WantFailure(t, apitest.Do(t, api, "PUT", apitest.Widgets+"/none",
		apitest.WidgetBody(`"name":"none","uid":"zz"`)), 409, "Conflict",
		`Operation cannot be fulfilled on widgets.example.com "none": StorageError: invalid object, Code: 4, Key: /registry/example.com/widgets/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: zz, UID in object meta: `, apitest.AboutWidget("none"))
	assert.Equal(t, 404, apitest.MergePatch(t, api, apitest.Widgets+"/b", `{"spec":{"size":1}}`).Code,
		"a patch creates nothing")
	assert.Equal(t, 404, apitest.Do(t, api, "PUT", apitest.Widgets+"/b/status", apitest.WidgetBody(`"name":"b"`)).Code,
		"neither does a subresource")
	assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Widgets+"/b", "").Code)
}
