package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/program/programtest"
)

// start runs the program until the test ends and returns the URL that it prints.
func start(t *testing.T) string {
	t.Helper()
	url, _ := programtest.Start(t, run)
	return url
}

func do(t *testing.T, method, url, contentType, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// A watch over the API, through StripPrefix and the logging middleware,
// immediately sees the write of the service's own route.
func TestOwnRouteAndAPIShareObjects(t *testing.T) {
	platform := start(t)
	service := strings.TrimSuffix(platform, "/platform")
	url := platform + "/apis/deploy.example.com/v1/namespaces/default/environments"
	sample, err := os.ReadFile("sample.yaml")
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, do(t, "POST", url, "application/yaml", string(sample)).StatusCode)

	events := json.NewDecoder(do(t, "GET", url+"?watch=true", "", "").Body)
	next := func() Environment {
		var event struct {
			Type   string
			Object Environment
		}
		for event.Type == "" || event.Type == "BOOKMARK" {
			require.NoError(t, events.Decode(&event))
		}
		return event.Object
	}
	first := next()
	assert.Empty(t, first.Status.Release)
	assert.Equal(t, "small", first.Spec.Size, "the tag's default")

	answer := do(t, "POST", service+"/deployed/default/staging?release=v1.4.2", "", "")
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
	second := next()
	assert.Equal(t, "v1.4.2", second.Status.Release)
	assert.True(t, apimeta.IsConditionTrue(second.Status.Conditions, "Ready"))
	assert.Equal(t, second.Generation, second.Status.ObservedGeneration)
}

func TestOwnRoutes(t *testing.T) {
	platform := start(t)
	service := strings.TrimSuffix(platform, "/platform")
	tests := []struct {
		name, method, path string
		code               int
	}{
		{"health", "GET", "/healthz", http.StatusOK},
		{"unknown environment", "POST", "/deployed/default/none?release=v1", http.StatusNotFound},
		{"no release", "POST", "/deployed/default/none", http.StatusBadRequest},
		{"the API is not at the root", "GET", "/apis", http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.code, do(t, tt.method, service+tt.path, "", "").StatusCode)
		})
	}
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
}
