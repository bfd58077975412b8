package resource_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestGet(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/other/widgets", apitest.WidgetBody(`"name":"b"`))
	for _, c := range []struct{ name, target string }{
		{"by name", apitest.Widgets + "/a"},
		{"with a trailing slash", apitest.Widgets + "/a/"},
		{"not older than a version there was", apitest.Widgets + "/a?resourceVersion=2"},
		{"not older than the store's latest version", apitest.Widgets + "/a?resourceVersion=3"},
		{"with an escaped name", apitest.ExampleV1 + "/namespaces/%64efault/widgets/%61"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.Do(t, api, "GET", c.target, "")
			apitest.WantJSON(t, a, 200, apitest.StoredWidget{}.String())
			assert.Equal(t, "no-cache, private", a.Header.Get("Cache-Control"))
		})
	}
}

func TestGetAbsentObject(t *testing.T) {
	const noSuchResource = "the server could not find the requested resource"
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ name, target, message, details string }{
		{"an impossible name", apitest.Widgets + "/UPPER", `widgets.example.com "UPPER" not found`,
			apitest.AboutWidget("UPPER")},
		{"an empty namespace", apitest.ExampleV1 + "/namespaces//widgets/a", noSuchResource, "{}"},
		{"an unknown resource", apitest.ExampleV1 + "/namespaces/default/gadgets/a", noSuchResource, "{}"},
		{"an unknown version", "/apis/example.com/v2/namespaces/default/widgets/a", noSuchResource, "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", c.target, ""), 404, "NotFound", c.message, c.details)
		})
	}
	t.Run("an unknown group belongs to the host", func(t *testing.T) {
		a := apitest.Do(t, api, "GET", "/apis/other.example.com/v1/things", "")
		assert.Equal(t, 404, a.Code)
		assert.Equal(t, "404 page not found\n", a.Body)
	})
}

func TestGetRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ name, target, message string }{
		{"a resourceVersion of a scale that is not a number", apitest.Widgets + "/a/scale?resourceVersion=abc",
			`invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a resourceVersion that is not a number", apitest.Widgets + "/a?resourceVersion=abc",
			`invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a percent sign in a name", apitest.Widgets + "/a%2562", `Name parameter invalid: "a%62": may not contain '%'`},
		{"a name that leads elsewhere", apitest.Widgets + "/%2e%2e", `Name parameter invalid: "..": may not be '..'`},
		{"a namespace that leads elsewhere", apitest.ExampleV1 + "/namespaces/%2e%2e/widgets/a",
			`Namespace parameter invalid: "..": may not be '..'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "GET", c.target, ""), 400, "BadRequest", c.message, "")
		})
	}
}

func TestUnsupportedMethods(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct{ method, target string }{
		{"POST", apitest.Widgets + "/a"}, {"PUT", apitest.Widgets}, {"PATCH", apitest.Widgets},
		{"POST", apitest.AllWidgets}, {"PUT", apitest.AllWidgets}, {"PATCH", apitest.AllWidgets},
		{"DELETE", apitest.AllWidgets},
		{"POST", "/version"}, {"DELETE", "/apis"}, {"PUT", apitest.ExampleV1}, {"POST", "/openapi/v2"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), http.StatusMethodNotAllowed, "MethodNotAllowed",
				"the server does not allow this method on the requested resource", "{}")
		})
	}
	for _, c := range []struct{ method, target string }{
		{"OPTIONS", apitest.Widgets + "/a"}, {"CONNECT", apitest.Widgets + "/a"}, {"TRACE", apitest.Widgets},
		{"OPTIONS", apitest.Widgets + "/a/status"}, {"HEAD", apitest.Widgets + "?watch=1"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, c.method, c.target, ""), http.StatusMethodNotAllowed, "MethodNotAllowed",
				` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		})
	}
}

// HEAD answers what GET does, without its body, which net/http leaves out.
func TestHead(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	server := apitest.Serve(t, api)
	for target, want := range map[string]int{apitest.Widgets: 200, apitest.AllWidgets: 200, apitest.Widgets + "/a": 200,
		apitest.Widgets + "/a/status": 200, apitest.Widgets + "/b": 404} {
		response, err := http.Head(server.URL + target)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, want, response.StatusCode, target)
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"))
		if target == apitest.Widgets+"/a" {
			assert.EqualValues(t, len(apitest.Do(t, api, "GET", target, "").Raw), response.ContentLength)
		}
	}
}

func TestGetWaitsForAVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.NewWidgets(t)
		apitest.CreateWidget(t, api, "a")
		answers := make(chan apitest.Answer)
		get := func() { answers <- apitest.Do(t, api, "GET", apitest.Widgets+"/a?resourceVersion=3", "") }

		go get()
		synctest.Wait() // it waits for the write
		apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
		apitest.WantJSON(t, <-answers, 200,
			apitest.StoredWidget{RV: "3", Generation: 2,
				Spec: `{"size":2,"color":"red","replicas":1,"template":{"image":"none"}}`}.String())

		a := apitest.Do(t, api, "GET", apitest.Widgets+"/a?resourceVersion=9999", "")
		apitest.WantFailure(t, a, 504, "Timeout", "Timeout: Too large resource version: 9999, current: 3",
			`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)
		assert.Equal(t, "1", a.Header.Get("Retry-After"))
	})
}
