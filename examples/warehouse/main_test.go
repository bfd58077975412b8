package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/examples/program/programtest"
)

const path = "/platform/apis/warehouse.example.com/v1/namespaces/default/stocks"

// start runs the program until the test ends, creates the samples, and returns the URL of the service.
func start(t *testing.T) string {
	t.Helper()
	url, _ := programtest.Start(t, run)
	service := strings.TrimSuffix(url, "/platform")
	samples, err := os.ReadFile("sample.yaml")
	require.NoError(t, err)
	for _, sample := range strings.Split(string(samples), "---\n") {
		code, body := send(t, "POST", service+path, "application/yaml", sample)
		require.Equal(t, http.StatusCreated, code, string(body))
	}
	return service
}

func send(t *testing.T, method, url, contentType, body string) (code int, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", contentType)
	a, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer a.Body.Close()
	answer, err = io.ReadAll(a.Body)
	require.NoError(t, err)
	return a.StatusCode, answer
}

// counts returns the counts of the stocks that a list shows, in its order.
func counts(t *testing.T, service, query string) (all []int64) {
	t.Helper()
	code, body := send(t, "GET", service+path+query, "", "")
	require.Equal(t, http.StatusOK, code, string(body))
	var list struct{ Items []Stock }
	require.NoError(t, json.Unmarshal(body, &list))
	for _, s := range list.Items {
		all = append(all, s.Spec.Count)
	}
	return all
}

func TestPiecesMoveInOneTransaction(t *testing.T) {
	service := start(t)
	for _, tt := range []struct {
		name, move string
		code       int
		then       []int64
	}{
		{"move", "oslo/rome?count=15", http.StatusNoContent, []int64{5, 20}},
		{"more than are there", "oslo/rome?count=6", http.StatusUnprocessableEntity, []int64{5, 20}},
		{"to an unknown place", "oslo/lima?count=1", http.StatusNotFound, []int64{5, 20}},
		{"nothing", "oslo/rome?count=0", http.StatusBadRequest, []int64{5, 20}},
		{"back", "rome/oslo?count=15", http.StatusNoContent, []int64{20, 5}},
	} {
		code, body := send(t, "POST", service+"/move/"+tt.move, "", "")
		assert.Equal(t, tt.code, code, "%s: %s", tt.name, body)
		assert.Equal(t, tt.then, counts(t, service, ""), tt.name)
	}
}

func TestStocksAreSortedAndFiltered(t *testing.T) {
	service := start(t)
	assert.Equal(t, []int64{5, 20}, counts(t, service, "?sortBy=spec.count"))
	assert.Equal(t, []int64{5}, counts(t, service, "?fieldQuery="+url.QueryEscape("spec.count<20")))
}

func TestAMoveIsUndone(t *testing.T) {
	service := start(t)
	code, _ := send(t, "POST", service+"/move/oslo/rome?count=15", "", "")
	require.Equal(t, http.StatusNoContent, code)
	code, history := send(t, "GET", service+path+"/oslo/history", "", "")
	require.Equal(t, http.StatusOK, code)
	assert.Contains(t, string(history), `"manager":"mover"`)
	assert.Contains(t, string(history), ".spec.count")
	code, answer := send(t, "POST", service+path+"/oslo/undo", "application/json",
		`{"apiVersion":"history.decorum-go.github.io/v1alpha1","kind":"UndoRequest"}`)
	require.Less(t, code, 300, string(answer))
	assert.Equal(t, []int64{20, 20}, counts(t, service, ""))
}
