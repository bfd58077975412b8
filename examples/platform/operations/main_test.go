package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const sites = "/apis/platform.example.com/v1/namespaces/default/sites"

// send sends a request with a token, and returns the answer and its body.
func send(t *testing.T, method, url, token, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(text)
}

// Each part does its work in the running program.
func TestProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", "127.0.0.1:0", "--audit", path}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	url, ok := strings.CutPrefix(lines.Text(), "ready ")
	require.True(t, ok, lines.Text())
	var log bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			log.WriteString(lines.Text() + "\n")
		}
	}()

	created, text := send(t, "POST", url+sites, "operator",
		`{"apiVersion":"platform.example.com/v1","kind":"Site","metadata":{"name":"hello"},"spec":{"title":"Hello"}}`)
	require.Equal(t, 201, created.StatusCode, text)

	answer, text := send(t, "GET", url+"/apis", "alice", "") // administrators need no seats
	require.Equal(t, 200, answer.StatusCode, text)

	t.Run("metrics", func(t *testing.T) {
		answer, text := send(t, "GET", url+"/metrics", "operator", "")
		require.Equal(t, 200, answer.StatusCode, text)
		var missing []string
		for _, want := range []string{
			`apiserver_request_total{code="201"`, `apiserver_resource_objects{group="platform.example.com",resource="sites"} 1`,
			`decorum_store_commits_total`,
			`apiserver_flowcontrol_dispatched_requests_total{flow_schema="catch-all",priority_level="global-default"} 1`,
		} {
			if !strings.Contains(text, want) {
				missing = append(missing, want)
			}
		}
		assert.Empty(t, missing)
		assert.Eventually(t, func() bool {
			_, text := send(t, "GET", url+"/metrics", "operator", "")
			return strings.Contains(text, `decorum_controller_reconcile_total{name="sites",result="success"} 1`) &&
				strings.Contains(text, `workqueue_depth{name="sites"} 0`)
		}, time.Minute, 10*time.Millisecond, "the controller has seen the site")
		answer, _ = send(t, "GET", url+"/metrics", "alice", "")
		assert.Equal(t, 403, answer.StatusCode)
	})
	t.Run("health", func(t *testing.T) {
		_, text := send(t, "GET", url+"/readyz?verbose", "", "")
		assert.Contains(t, text, "[+]disk ok")
	})
	t.Run("debug", func(t *testing.T) {
		answer, text := send(t, "GET", url+"/debug/watches", "operator", "")
		assert.Equal(t, 200, answer.StatusCode, text)
		answer, text = send(t, "GET", url+"/debug/fairness", "operator", "")
		assert.Equal(t, 200, answer.StatusCode)
		assert.Contains(t, text, `"global-default"`)
		answer, _ = send(t, "GET", url+"/debug/pprof/heap", "alice", "")
		assert.Equal(t, 403, answer.StatusCode)
	})

	stop()
	require.NoError(t, <-ended)
	<-read
	id := created.Header.Get("Audit-ID")
	assert.Contains(t, log.String(), id, "the log has a line for the request")
	events, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(events), id, "the audit has an event")
	for line := range strings.Lines(string(events)) {
		assert.True(t, json.Valid([]byte(line)), line)
		assert.NotContains(t, line, "Bearer")
	}
}

func TestTraces(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	o, err := newOperations(filepath.Join(t.TempDir(), "audit.log"), slog.New(slog.DiscardHandler), provider)
	require.NoError(t, err)
	defer o.file.Close()
	api, err := newAPI(o)
	require.NoError(t, err)
	server := httptest.NewServer(api)
	answer, _ := send(t, "GET", server.URL+sites, "operator", "")
	assert.Equal(t, 200, answer.StatusCode)
	server.Close()
	require.NoError(t, api.Close())
	require.NotEmpty(t, spans.Ended())
	assert.Contains(t, spans.Ended()[0].Name(), "sites")
}

func TestFlagsAreChecked(t *testing.T) {
	assert.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
	assert.ErrorContains(t, run(t.Context(), []string{"--audit", filepath.Join(t.TempDir(), "none", "x")}, io.Discard),
		"audit")
}
