package conformance_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// stream answers a watch with ready-made text. open keeps the watch open
// afterwards.
func stream(status int, text string, open bool) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") == "" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
		if open {
			<-r.Context().Done()
		}
		return true
	}
}

const (
	added    = `{"type":"ADDED","object":{"metadata":{"name":"a"}}}`
	addedB   = `{"type":"ADDED","object":{"metadata":{"name":"b"}}}`
	bookmark = `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}`
	initial  = `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}`
)

// The transcript of a watch depends on how long its case reads it.
func TestWatch(t *testing.T) {
	tests := []struct {
		name   string
		watch  string
		status int
		text   string
		open   bool
		want   string // the golden response that it equals
	}{
		{"a number of events", "{events: 1}", 200, added + addedB, true, `"events":[` + added + `]`},
		{"plain bookmarks are left out", "{events: 2}", 200, bookmark + added + bookmark + addedB, true,
			`"events":[` + added + `,` + addedB + `]`},
		{"until the initial events end", "{until: bookmark}", 200, added + initial + addedB, true,
			`"events":[` + added + `,` + initial + `]`},
		{"until the server closes", "{until: close}", 200, added + addedB, false,
			`"events":[` + added + `,` + addedB + `],"ended":"closed by the server"`},
		{"until the time is over", "{until: close, timeout: TIME}", 200, added, true,
			`"events":[` + added + `],"ended":"timeout"`},
		{"fewer events than wanted", "{events: 3, timeout: TIMEms}", 200, added, true, `"events":[` + added + `]`},
		{"fewer events than wanted, closed", "{events: 3}", 200, added, false, `"events":[` + added + `]`},
		{"in no certain order", "{events: 2, unordered: true}", 200, addedB + added, true,
			`"events":[` + added + `,` + addedB + `]`},
		{"no event", "{events: 1, timeout: 50}", 200, "", true, `"events":[]`},
		{"not JSON", "{events: 1}", 200, "<html>", false, `"text":"not a stream of JSON documents","events":[]`},
		{"not an event", "{events: 2}", 200, `1 []`, false, `"events":[1,[]]`},
		{"an event that was cut off", "{events: 2}", 200, added + `{"type":`, false, `"events":[` + added + `]`},
		{"refused", "{events: 1}", 410, `{"kind":"Status","code":410}`, false, `"body":{"kind":"Status","code":410}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := &fake{Instead: stream(test.status, test.text, test.open)}
			golden := folder("w.json", fmt.Sprintf(`{"cases":{"w":[{"status":%d,"headers":{"Content-Type":"application/json"},%s}]}}`, test.status, test.want))
			url := server.start(t)
			for ms := 100; ; ms *= 10 { // on a busy machine, an event may arrive after the time
				watch := strings.ReplaceAll(test.watch, "TIME", strconv.Itoa(ms))
				cases := folder("w.yaml", "cases:\n- name: w\n  doc: Watches.\n  steps: [{do: 'GET /api/v1/namespaces/x/configmaps?watch=1', ignore: ['body.**.resourceVersion'], watch: "+watch+"}]\n")
				report, err := conformance.Run(t.Context(), conformance.Options{Server: url, Cases: cases, Golden: golden})
				require.NoError(t, err)
				if passed := report.Results[0].Verdict == conformance.Passed; passed || watch == test.watch || ms > 30_000 {
					assert.True(t, passed, report.Results[0].Text(true))
					return
				}
			}
		})
	}
}

// A server that sends nothing leaves a response that differs from every real
// one.
func TestWatchWithoutAnswer(t *testing.T) {
	server := &fake{Instead: func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") == "" {
			return false
		}
		<-r.Context().Done()
		return true
	}}
	report, err := conformance.Run(t.Context(), conformance.Options{
		Server: server.start(t),
		Cases:  folder("w.yaml", "cases:\n- name: w\n  doc: Watches.\n  steps: [{do: 'GET /api/v1/pods?watch=1', watch: {events: 1, timeout: 50}}]\n"),
		Golden: folder("w.json", `{"cases":{"w":[{"status":200,"headers":{},"events":[]}]}}`),
	})
	require.NoError(t, err)
	assert.Equal(t, "0", report.Results[0].Differences[0].Got)
	assert.Equal(t, conformance.Failed, report.Results[0].Verdict)
}

// A case that fails between start and collect leaves no watch running:
// otherwise the fake server's Close, at the end of the test, would wait for it.
func TestStartedWatchEndsWithItsCase(t *testing.T) {
	server := &fake{}
	report, err := conformance.Run(t.Context(), conformance.Options{
		Server: server.start(t),
		Cases: fstest.MapFS{"w.yaml": {Data: []byte(`
vars: {cm: "/api/v1/namespaces/${ns}/configmaps"}
cases:
- name: w
  doc: Watches.
  steps:
  - {do: "GET ${cm}?watch=1", watch: {events: 1}, start: a}
  - {do: "GET ${cm}?watch=1", watch: {events: 1}, start: a}
  - {do: "GET ${cm}", capture: {x: nothing.here}}
  - {collect: a}
- name: unknown
  doc: Collects what was not started.
  steps: [{collect: b}]
`)}},
		Golden: folder("w.json", `{"cases":{"w":[]}}`),
	})
	require.NoError(t, err)
	assert.Contains(t, report.Results[0].Error,
		`step 3: GET /api/v1/namespaces/${ns}/configmaps: nothing at "nothing.here" to capture (status 200, {`)
	assert.Equal(t, `step 1: no watch "b" was started`, report.Results[1].Error)
}
