package conformance_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// The requests of steps, as the server sees them.
func TestRequests(t *testing.T) {
	tests := []struct{ name, step, want string }{
		{"as written", `do: "GET /a%2Fb/../c;d//e?x=%20y&x"`,
			"GET /a%2Fb/../c;d//e?x=%20y&x [application/json] [] [conform/v1] "},
		{"an empty query", `do: "GET /a?"`, "GET /a? [application/json] [] [conform/v1] "},
		{"query", `{method: GET, path: "/a?z=1", query: {b: [x y, 2], a: "${ns}"}}`,
			"GET /a?z=1&a=NS&b=x+y&b=2 [application/json] [] [conform/v1] "},
		{"object", `{do: POST /a, obj: {cm: x, data: {k: "1"}}}`,
			`POST /a [application/json] [application/json] [conform/v1] {"apiVersion":"v1","data":{"k":"1"},"kind":"ConfigMap","metadata":{"name":"x"}}`},
		{"text", `{do: PUT /a, body: "a: ${ns}", type: yaml}`,
			"PUT /a [application/json] [application/yaml] [conform/v1] a: NS"},
		{"value", `{do: PATCH /a, body: [1.0, {b: ~}], type: json}`,
			`PATCH /a [application/json] [application/json-patch+json] [conform/v1] [1.0,{"b":null}]`},
		{"null", `{do: PATCH /a, body: null, type: merge}`,
			`PATCH /a [application/json] [application/merge-patch+json] [conform/v1] null`},
		{"other media type", `{do: PATCH /a, body: x, type: a/b}`, `PATCH /a [application/json] [a/b] [conform/v1] x`},
		{"strategic", `{do: PATCH /a, body: x, type: smp}`,
			`PATCH /a [application/json] [application/strategic-merge-patch+json] [conform/v1] x`},
		{"apply", `{do: PATCH /a, body: x, type: apply}`,
			`PATCH /a [application/json] [application/apply-patch+yaml] [conform/v1] x`},
		{"headers replaced", `{do: GET /a, headers: {accept: [a/b, "${ns}"], User-Agent: me}}`, "GET /a [a/b NS] [] [me] "},
		{"headers removed", `{do: POST /a, body: x, headers: {Accept: , Content-Type: "", User-Agent: }}`,
			"POST /a [] [] [] x"},
		{"no step at all but a pause", `{sleep: 1}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var mu sync.Mutex
			namespace, got := "", ""
			server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
				body, _ := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case strings.HasSuffix(r.URL.Path, "/api"):
				case strings.HasSuffix(r.URL.Path, "/namespaces"):
					_, rest, _ := strings.Cut(string(body), `"name":"`)
					namespace, _, _ = strings.Cut(rest, `"`)
					assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
				default:
					got = fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Header["Accept"], " ", r.Header["Content-Type"], " ",
						r.Header["User-Agent"], " ", string(body))
					got = strings.ReplaceAll(got, namespace, "NS")
				}
				return true
			}}
			step := test.step
			if !strings.HasPrefix(step, "{") {
				step = "{" + step + "}"
			}
			o := conformance.Options{
				Server: server.start(t), Token: "secret", Keep: true,
				Cases:  folder("a.yaml", "cases: [{name: x, doc: y, steps: ["+step+"]}]"),
				Golden: folder("a.json", `{"cases":{"x":[{"status":200,"headers":{}}]}}`),
			}
			_, err := conformance.Run(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			if test.want == "" {
				return
			}
			o.Server += "/m"
			o.Prefix = "n/"
			_, err = conformance.Run(t.Context(), o)
			require.NoError(t, err)
			method, rest, _ := strings.Cut(test.want, " ")
			assert.Equal(t, method+" /m/n"+rest, got, "below a prefix")
		})
	}
}

// Each answer is compared with the golden response that it must equal.
func TestAnswers(t *testing.T) {
	plain := func(contentType, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = []string{contentType}
			_, _ = io.WriteString(w, body)
		}
	}
	tests := []struct {
		name, step string
		answer     func(http.ResponseWriter)
		want       string
	}{
		{"JSON", "", plain("application/json", `{"a":1}`), `"body":{"a":1}`},
		{"JSON null", "", plain("application/json", `null`), `"body":null`},
		{"JSON of a media type of its own", "", plain("application/x+json; charset=utf-8", `[1]`), `"body":[1]`},
		{"JSON by another name", "", plain("text/plain", `{"a":1}`), `"body":{"a":1}`},
		{"broken JSON", "", plain("application/json", `{"a":`), `"text":"{\"a\":"`},
		{"two documents", "", plain("application/json", `{}{}`), `"text":"{}{}"`},
		{"text", "", plain("text/plain", "ok"), `"text":"ok"`},
		{"YAML", "", plain("application/yaml", "a: 1"), `"body":{"a":1},"format":"yaml"`},
		{"broken YAML", "", plain("application/yaml", "a: ["), `"text":"a: ["`},
		{"protobuf", "", plain("application/vnd.kubernetes.protobuf", "k8s\x00"), `"format":"binary"`},
		{"nothing", "", plain("text/plain", ""), ``},
		{"indented", ", checkPretty: true", plain("application/json", "{\n \"a\": 1}"), `"body":{"a":1},"pretty":true`},
		{"not indented", ", checkPretty: true", plain("application/json", `{"a":1}`), `"body":{"a":1},"pretty":false`},
		{"a redirect is an answer", ", compareHeaders: [location]", func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = nil
			w.Header().Set("Location", "/elsewhere")
		}, `"headers":{"Location":"/elsewhere"}`},
		{"warnings in any order", "", func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = nil
			w.Header()["Warning"] = []string{`299 - "b"`, `299 - "a"`}
		}, `"headers":{"Warning":["299 - \"a\"","299 - \"b\""]}`},
		{"gzip", "", func(w http.ResponseWriter) {
			w.Header()["Content-Type"] = []string{"application/json"}
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `{"a":1}`)
			_ = z.Close()
		}, `"body":{"a":1},"headers":{"Content-Encoding":"gzip","Content-Type":"application/json"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/answer" {
					test.answer(w)
					return true
				}
				return false
			}}
			golden := test.want
			if !strings.Contains(golden, `"headers"`) {
				golden = strings.Trim(golden+`,"headers":{}`, ",")
			}
			o := conformance.Options{
				Server: server.start(t),
				Cases: folder("a.yaml", "cases: [{name: x, doc: y, steps: [{do: GET /answer, ignore: ['headers.Content-Type']"+
					test.step+"}]}]"),
				Golden: folder("a.json", `{"cases":{"x":[{"status":200,`+golden+`}]}}`),
			}
			report, err := conformance.Run(t.Context(), o)
			require.NoError(t, err)
			assert.Empty(t, report.Results[0].Differences)
			assert.Empty(t, report.Results[0].Error)
		})
	}
}

// An answer that claims to be compressed but is not fails only its own case.
func TestAnswerThatIsNoGzip(t *testing.T) {
	server := &fake{Header: func(r *http.Request, h http.Header) {
		if r.URL.Path == "/answer" {
			h.Set("Content-Encoding", "gzip")
		}
	}}
	report, err := conformance.Run(t.Context(), conformance.Options{
		Server: server.start(t), Golden: folder("a.json", `{"cases":{}}`),
		Cases: folder("a.yaml", "cases: [{name: x, doc: y, steps: [{do: GET /answer}]}]"),
	})
	require.NoError(t, err)
	assert.Contains(t, report.Results[0].Error, "step 1: gzip: ")
}
