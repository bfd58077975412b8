package rest_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGet(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	must(t, api, "POST", widgetRoot+"/namespaces/other/widgets", widgetBody(`"name":"b"`))
	for _, c := range []struct{ name, target string }{
		{"by name", widgets + "/a"},
		{"with a trailing slash", widgets + "/a/"},
		{"of any version", widgets + "/a?resourceVersion=0"},
		{"not older than a version there was", widgets + "/a?resourceVersion=2"},
		{"not older than the store's latest version", widgets + "/a?resourceVersion=3"},
		{"with parameters that nobody knows", widgets + "/a?foo=bar&pretty=0"},
		{"with an escaped name", widgetRoot + "/namespaces/%64efault/widgets/%61"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := do(t, api, "GET", c.target, "")
			wantJSON(t, a, 200, stored{}.String())
			assert.Equal(t, "no-cache, private", a.Header.Get("Cache-Control"))
		})
	}
}

func TestGetOfWhatIsNotThere(t *testing.T) {
	const noSuchResource = "the server could not find the requested resource"
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct{ name, target, message, details string }{
		{"unknown name", widgets + "/none", `widgets.example.com "none" not found`, aboutWidget("none")},
		{"a name in another namespace", widgetRoot + "/namespaces/other/widgets/a", `widgets.example.com "a" not found`, aboutWidget("a")},
		{"a name that cannot be", widgets + "/UPPER", `widgets.example.com "UPPER" not found`, aboutWidget("UPPER")},
		{"no namespace", allWidgets + "/a", noSuchResource, "{}"},
		{"an empty namespace", widgetRoot + "/namespaces//widgets/a", noSuchResource, "{}"},
		{"an unknown resource", widgetRoot + "/namespaces/default/gadgets/a", noSuchResource, "{}"},
		{"an unknown version", "/apis/example.com/v2/namespaces/default/widgets/a", noSuchResource, "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFailure(t, do(t, api, "GET", c.target, ""), 404, "NotFound", c.message, c.details)
		})
	}
	t.Run("an unknown group is not the API's", func(t *testing.T) {
		a := do(t, api, "GET", "/apis/other.example.com/v1/things", "")
		assert.Equal(t, 404, a.Code)
		assert.Equal(t, "404 page not found\n", a.Body)
	})
	t.Run("after a delete", func(t *testing.T) {
		must(t, api, "DELETE", widgets+"/a", "")
		wantFailure(t, do(t, api, "GET", widgets+"/a", ""), 404, "NotFound", `widgets.example.com "a" not found`, aboutWidget("a"))
	})
}

func TestGetRefuses(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct{ name, target, message string }{
		{"a version of a scale that is no number", widgets + "/a/scale?resourceVersion=abc", `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a version that is no number", widgets + "/a?resourceVersion=abc", `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"a percent sign in a name", widgets + "/a%2562", `Name parameter invalid: "a%62": may not contain '%'`},
		{"a name that leads elsewhere", widgets + "/%2e%2e", `Name parameter invalid: "..": may not be '..'`},
		{"a namespace that leads elsewhere", widgetRoot + "/namespaces/%2e%2e/widgets/a", `Namespace parameter invalid: "..": may not be '..'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantFailure(t, do(t, api, "GET", c.target, ""), 400, "BadRequest", c.message, "")
		})
	}
}

func TestMethodsThatNoPathTakes(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	for _, c := range []struct{ method, target string }{
		{"POST", widgets + "/a"}, {"PUT", widgets}, {"PATCH", widgets},
		{"POST", allWidgets}, {"PUT", allWidgets}, {"PATCH", allWidgets}, {"DELETE", allWidgets},
		{"POST", "/version"}, {"DELETE", "/apis"}, {"PUT", widgetRoot}, {"POST", "/openapi/v2"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			wantFailure(t, do(t, api, c.method, c.target, ""), http.StatusMethodNotAllowed, "MethodNotAllowed",
				"the server does not allow this method on the requested resource", "{}")
		})
	}
	for _, c := range []struct{ method, target string }{
		{"OPTIONS", widgets + "/a"}, {"CONNECT", widgets + "/a"}, {"TRACE", widgets}, {"OPTIONS", widgets + "/a/status"}, {"HEAD", widgets + "?watch=1"},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			wantFailure(t, do(t, api, c.method, c.target, ""), http.StatusMethodNotAllowed, "MethodNotAllowed",
				` is not supported on resources of kind "widgets.example.com"`, `{"group":"example.com","kind":"widgets"}`)
		})
	}
}

// HEAD answers what GET does, without its body, which net/http leaves out.
func TestHead(t *testing.T) {
	api := newWidgets(t)
	create(t, api, "a")
	server := thingHTTP(t, api)
	for target, want := range map[string]int{widgets: 200, allWidgets: 200, widgets + "/a": 200, widgets + "/a/status": 200, widgets + "/b": 404} {
		response, err := http.Head(server.URL + target)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, want, response.StatusCode, target)
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"))
		if target == widgets+"/a" {
			assert.EqualValues(t, len(do(t, api, "GET", target, "").raw), response.ContentLength)
		}
	}
}

func TestGetWaitsForAVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newWidgets(t)
		create(t, api, "a")
		answers := make(chan answer)
		get := func() { answers <- do(t, api, "GET", widgets+"/a?resourceVersion=3", "") }

		go get()
		synctest.Wait() // it waits for the write
		merge(t, api, widgets+"/a", `{"spec":{"size":2}}`)
		wantJSON(t, <-answers, 200, stored{rv: "3", generation: 2, spec: `{"size":2,"color":"red","replicas":1,"template":{"image":"none"}}`}.String())

		a := do(t, api, "GET", widgets+"/a?resourceVersion=9999", "")
		wantFailure(t, a, 504, "Timeout", "Timeout: Too large resource version: 9999, current: 3",
			`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)
		assert.Equal(t, "1", a.Header.Get("Retry-After"))
	})
}
