package front_test

import (
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const console = "https://console.example"

// A page of another site changes nothing with what a browser sends on its own.
func TestRequestsOfWebPages(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []string
		code    int
	}{
		{"no page", nil, 201},
		{"a page of another site", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"an older browser", []string{"Origin", "https://evil.example"}, 403},
		{"a sibling site", []string{"Origin", "https://other.console.example", "Sec-Fetch-Site", "same-site"}, 403},
		{"a page without an origin", []string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}, 403},
		{"with a password", []string{"Origin", "https://evil.example", "Authorization", "Basic YTpi"}, 403},
		{"with a token", []string{"Origin", "https://evil.example", "Authorization", "Bearer x"}, 201},
		{"the API's own page", []string{"Origin", "http://example.com", "Sec-Fetch-Site", "same-origin"}, 201},
		{"typed by a person", []string{"Sec-Fetch-Site", "none"}, 201},
		{"an allowed page", []string{"Origin", console, "Sec-Fetch-Site", "cross-site"}, 201},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{AllowedOrigins: []string{console}}, apitest.WidgetResource())
			answer := apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`),
				append(c.headers, "Content-Type", "application/json")...)
			assert.Equal(t, c.code, answer.Code, answer.Body)
			assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets, "", c.headers...).Code,
				"who cannot read the answer may send a GET")
		})
	}
}

// A browser lets pages of allowed origins read answers, and asks before it sends requests for them.
func TestCORS(t *testing.T) {
	api := apitest.New(t, rest.Options{AllowedOrigins: []string{console}, Authenticator: apitest.UserFromHeader},
		apitest.WidgetResource())
	preflight := func(api http.Handler, origin string) apitest.Answer {
		return apitest.Do(t, api, "OPTIONS", apitest.Widgets, "", "Origin", origin, "Access-Control-Request-Method", "PATCH",
			"Access-Control-Request-Headers", "authorization")
	}
	asked := preflight(api, console)
	assert.Equal(t, 204, asked.Code)
	assert.Equal(t, console, asked.Header.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, asked.Header.Get("Access-Control-Allow-Methods"), "PATCH")
	assert.Contains(t, asked.Header.Get("Access-Control-Allow-Headers"), "Authorization")

	for _, code := range []int{200, 401} {
		got := apitest.Do(t, api, "GET", apitest.Widgets, "", "Origin", console, "Test-User",
			map[int]string{200: "alice"}[code])
		assert.Equal(t, code, got.Code)
		assert.Equal(t, console, got.Header.Get("Access-Control-Allow-Origin"))
		assert.Equal(t, "true", got.Header.Get("Access-Control-Allow-Credentials"))
		assert.Equal(t, "Origin", got.Header.Get("Vary"))
	}
	for _, origin := range []string{"https://evil.example", "https://console.example.evil.example", "null"} {
		got := preflight(api, origin)
		assert.Equal(t, 401, got.Code)
		assert.Empty(t, got.Header.Get("Access-Control-Allow-Origin"), origin)
	}
	closed := apitest.New(t, rest.Options{}, apitest.WidgetResource())
	assert.Empty(t, preflight(closed, console).Header.Get("Access-Control-Allow-Origin"))
	for _, wrong := range []string{"*", "console.example", "https://", "https://console.example/path"} {
		_, err := rest.New(rest.Options{AllowedOrigins: []string{wrong}})
		assert.ErrorContains(t, err, "the origin", wrong)
	}
}

// A page of an allowed origin may open WebSockets.
func TestWebSocketsOfAllowedPages(t *testing.T) {
	api := apitest.New(t, rest.Options{AllowedOrigins: []string{console}}, apitest.WidgetResource())
	server := apitest.Serve(t, api)
	apitest.DialWebSocket(t, server.URL+apitest.Widgets+"?watch=1",
		&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {console}}})
}

// A browser takes no answer for anything but what its Content-Type says, and pages cannot send bodies without asking
// first.
func TestBodiesAndBrowsers(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource())
	for _, target := range []string{"/", "/apis", "/version", "/healthz", "/openapi/v3", "/nowhere", apitest.Widgets,
		apitest.Widgets + "/a"} {
		assert.Equal(t, "nosniff", apitest.Do(t, api, "GET", target, "").Header.Get("X-Content-Type-Options"), target)
	}
	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"text/html"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			target := apitest.Widgets + "/a"
			if method == "POST" {
				target = apitest.Widgets
			}
			answer := apitest.Do(t, api, method, target, apitest.WidgetBody(`"name":"a"`), "Content-Type", media)
			assert.Equal(t, 415, answer.Code, "%s %s: %s", method, media, answer.Body)
		}
	}
	require.Empty(t, apitest.Do(t, api, "GET", apitest.Widgets, "").Names(t))
}
