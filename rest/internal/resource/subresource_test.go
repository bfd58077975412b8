package resource_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const paintOf = `"metadata":{"name":"a","namespace":"default","uid":"uid-1","creationTimestamp":"` + apitest.NowText +
	`","resourceVersion":`

func paint(rv, color, coats string) string {
	return `{"apiVersion":"example.com/v1","kind":"Paint",` + paintOf + `"` + rv + `"},"spec":{"color":"` + color + `"` +
		coats + `}}`
}

func TestSubresourceShowsAPart(t *testing.T) {
	target := apitest.Widgets + "/a/paint"
	put := func(api *rest.API, metadata, spec string) apitest.Answer {
		return apitest.Do(t, api, "PUT", target,
			`{"apiVersion":"example.com/v1","kind":"Paint","metadata":{`+metadata+`},"spec":`+spec+`}`)
	}
	t.Run("get, put, patch", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		apitest.WantJSON(t, apitest.Do(t, api, "GET", target, ""), 200, paint("2", "red", ""))
		apitest.WantJSON(t, put(api, `"name":"a"`, `{"color":"blue"}`), 200, paint("3", "blue", `,"coats":1`))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200,
			apitest.StoredWidget{RV: "3", Generation: 2,
				Spec: `{"size":1,"color":"blue","replicas":1,"template":{"image":"none"},"steps":[""]}`}.String())
		apitest.WantJSON(t, apitest.MergePatch(t, api, target, `{"spec":{"coats":3}}`), 200, paint("4", "blue", `,"coats":3`))
		patched := apitest.Do(t, api, "PATCH", target, `[{"op":"replace","path":"/spec/color","value":"green"}]`,
			"Content-Type", apitest.TypeJSONPatch)
		apitest.WantJSON(t, patched, 200, paint("5", "green", `,"coats":3`))
		apitest.WantJSON(t, apitest.MergePatch(t, api, target, `{"spec":{"color":"green"}}`), 200,
			paint("5", "green", `,"coats":3`))
	})
	t.Run("of the version that was seen", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, 409, put(api, `"name":"a","resourceVersion":"1"`, `{"color":"blue"}`).Code)
		assert.Equal(t, 409, apitest.MergePatch(t, api, target,
			`{"metadata":{"resourceVersion":"1"},"spec":{"color":"blue"}}`).Code)
		assert.Equal(t, 200, put(api, `"name":"a","resourceVersion":"2"`, `{"color":"blue"}`).Code)
	})
	t.Run("dry run", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		assert.Equal(t, "blue", apitest.MergePatch(t, api, target+"?dryRun=All", `{"spec":{"color":"blue"}}`).Text(t,
			"spec.color"))
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	})
	t.Run("refuses", func(t *testing.T) {
		api := apitest.NewWidgets(t, apitest.WithSubresources)
		apitest.CreateWidget(t, api, "a")
		apitest.WantInvalid(t, put(api, `"name":"a"`, `{"color":"black"}`), "Paint.example.com", "a",
			apitest.NotSupported("spec.color", `Unsupported value: "black": supported values: "red", "green", "blue", "pink"`))
		apitest.WantInvalid(t, put(api, `"name":"a"`, `{"color":"pink"}`), "Widget.example.com", "a", // the object has its say too
			apitest.NotSupported("spec.color", `Unsupported value: "pink": supported values: "red", "green", "blue"`))
		apitest.WantFailure(t, put(api, `"name":"b"`, `{"color":"blue"}`), 400, "BadRequest",
			"the name of the object (b) does not match the name on the URL (a)", "")
		apitest.WantFailure(t, put(api, `"name":"a","namespace":"x"`, `{"color":"blue"}`), 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request", "")
		apitest.WantFailure(t, apitest.Do(t, api, "PUT", target, apitest.WidgetBody(`"name":"a"`)+" "), 422, "Invalid",
			`Widget.example.com "a" is invalid: kind: Invalid value: "Widget": must be Paint`,
			`{"name":"a","group":"example.com","kind":"Widget","causes":[{"reason":"FieldValueInvalid","field":"kind","message":"Invalid value: \"Widget\": must be Paint"}]}`)
		assert.Equal(t, 415, apitest.Do(t, api, "PATCH", target, `{}`).Code)
		assert.Equal(t, 422, apitest.Do(t, api, "PUT", target+"?dryRun=x", `{}`).Code)
		apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets+"/none/paint", ""), 404, "NotFound",
			`widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		apitest.WantFailure(t, apitest.MergePatch(t, api, apitest.Widgets+"/none/paint", `{}`), 404, "NotFound",
			`widgets.example.com "none" not found`, apitest.AboutWidget("none"))
		for method, verb := range map[string]string{"POST": "create", "DELETE": "delete"} {
			apitest.WantFailure(t, apitest.Do(t, api, method, target, ""), 405, "MethodNotAllowed",
				verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		}
		apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
	})
}

func TestSubresourceIsAnAction(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithSubresources)
	apitest.CreateWidget(t, api, "a")
	target := apitest.Widgets + "/a/restart"
	post := func(body string) apitest.Answer {
		return apitest.Do(t, api, "POST", target, `{"apiVersion":"actions.example.com/v2","kind":"RestartNow"`+body+`}`)
	}
	apitest.WantJSON(t, post(`,"reason":"a crash"`), 201,
		`{"apiVersion":"actions.example.com/v2","kind":"RestartNow","reason":"a crash of a","done":true}`)
	apitest.WantJSON(t, post(""), 201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
	apitest.WantFailure(t, post(`,"reason":"never"`), 403, "Forbidden", `widgets.example.com "a" is forbidden: never`,
		apitest.AboutWidget("a"))
	apitest.WantFailure(t, post(`,"reason":"panic"`), 500, "InternalError",
		"Internal error occurred: the request could not be completed", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", target+"?dryRun=All", "{}"), 400, "BadRequest",
		"dryRun is not supported", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", target, `{"apiVersion":"example.com/v1","kind":"RestartNow"}`), 400,
		"BadRequest", "the API version in the data (example.com/v1) does not match the expected API version (actions.example.com/v2)", "")
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Widgets+"/none/restart",
		`{"apiVersion":"actions.example.com/v2","kind":"RestartNow"}`), 404, "NotFound",
		`widgets.example.com "none" not found`, apitest.AboutWidget("none"))
	warned := post(`,"bogus":1`)
	assert.Equal(t, `299 - "unknown field \"bogus\""`, warned.Header.Get("Warning"))
	for method, verb := range map[string]string{"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"} {
		apitest.WantFailure(t, apitest.Do(t, api, method, target, ""), 405, "MethodNotAllowed",
			verb+` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
	}
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", ""), 200, apitest.StoredWidget{}.String())
}
