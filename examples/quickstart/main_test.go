package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/program/programtest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

// start runs the program until the test ends and returns the URL that it prints.
func start(t *testing.T, flags ...string) string {
	t.Helper()
	url, _ := programtest.Start(t, run, flags...)
	return url
}

// With a file, objects survive the end of the program, and watches resume.
func TestObjectsStayInTheFile(t *testing.T) {
	const databases = "/apis/platform.example.com/v1/namespaces/default/databases"
	file := filepath.Join(t.TempDir(), "databases.db")
	sample, err := os.ReadFile("sample.yaml")
	require.NoError(t, err)
	url, stop := programtest.Start(t, run, "--store", file)
	answer, err := http.Post(url+databases, "application/yaml", strings.NewReader(string(sample)))
	require.NoError(t, err)
	var created Database
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&created))
	require.NoError(t, answer.Body.Close())
	stop()

	url = start(t, "--store", file)
	answer, err = http.Get(url + databases + "/" + created.Name)
	require.NoError(t, err)
	defer answer.Body.Close()
	var got Database
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&got))
	assert.Equal(t, created.UID, got.UID)
	assert.Equal(t, created.Spec, got.Spec)
	stream, err := http.Get(url + databases + "?watch=true&resourceVersion=" + created.ResourceVersion)
	require.NoError(t, err)
	defer stream.Body.Close()
	require.Equal(t, http.StatusOK, stream.StatusCode)
	var event struct {
		Type   string
		Object Database
	}
	require.NoError(t, json.NewDecoder(stream.Body).Decode(&event), "the operator has written, or will")
	assert.Equal(t, "MODIFIED", event.Type)
	assert.Equal(t, created.UID, event.Object.UID)
}

// A deletion in the foreground ends (kubectl delete --cascade=foreground).
func TestForegroundDeletionEnds(t *testing.T) {
	const databases = "/apis/platform.example.com/v1/namespaces/default/databases"
	url := start(t)
	post(t, url+databases, "sample.yaml")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete,
		url+databases+"/orders?propagationPolicy=Foreground", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	var deleting Database
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&deleting))
	require.Equal(t, []string{apimeta.FinalizerDeleteDependents}, deleting.Finalizers)
	stream, err := http.Get(url + databases + "?watch=true&resourceVersion=" + deleting.ResourceVersion)
	require.NoError(t, err)
	defer stream.Body.Close()
	var event struct{ Type string }
	for decoder := json.NewDecoder(stream.Body); event.Type != "DELETED"; {
		require.NoError(t, decoder.Decode(&event))
	}
}

// With --crds, the program serves the kind of an applied definition, also after a restart.
func TestDefinitionAddsAKind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "databases.db")
	url, stop := programtest.Start(t, run, "--store", file, "--crds")
	post(t, url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "definition.yaml")
	awaitEstablished(t, url)
	const backups = "/apis/ops.example.com/v1/namespaces/default/backups"
	post(t, url+backups, "sample-backup.yaml")
	stop()

	url = start(t, "--store", file, "--crds")
	answer, err := http.Get(url + backups + "/orders-daily")
	require.NoError(t, err)
	defer answer.Body.Close()
	var got struct{ Spec map[string]any }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&got))
	assert.Equal(t, map[string]any{"database": "orders", "every": "Day", "keep": 7.0}, got.Spec)
}

// post creates the object of a file.
func post(t *testing.T, url, file string) {
	t.Helper()
	object, err := os.ReadFile(file)
	require.NoError(t, err)
	answer, err := http.Post(url, "application/yaml", bytes.NewReader(object))
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, answer.StatusCode, string(text))
}

// awaitEstablished watches the definitions until the kind of one is served.
func awaitEstablished(t *testing.T, url string) {
	t.Helper()
	stream, err := http.Get(url + "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=true")
	require.NoError(t, err)
	defer stream.Body.Close()
	for events := json.NewDecoder(stream.Body); ; {
		var event struct {
			Object apiextensions.CustomResourceDefinition
		}
		require.NoError(t, events.Decode(&event))
		if event.Object.Is(apiextensions.Established) {
			return
		}
	}
}

// The API accepts and defaults the sample, and the operator brings it to Ready
// one replica at a time.
func TestSampleBecomesReady(t *testing.T) {
	url := start(t) + "/apis/platform.example.com/v1/namespaces/default/databases"
	sample, err := os.ReadFile("sample.yaml")
	require.NoError(t, err)

	answer, err := http.Post(url, "application/yaml", strings.NewReader(string(sample)))
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	var created Database
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&created))
	assert.Equal(t, int32(10), created.Spec.StorageGiB, "the tag's default")
	assert.Equal(t, "reader", created.Spec.Users[1].Role, "a default inside a list")

	stream, err := http.Get(url + "?watch=true")
	require.NoError(t, err)
	defer stream.Body.Close()
	events := json.NewDecoder(stream.Body)
	var last int32
	for {
		var event struct {
			Type   string
			Object Database
		}
		require.NoError(t, events.Decode(&event), "the stream ended before the database was ready")
		if event.Type == "BOOKMARK" {
			continue
		}
		got := event.Object.Status
		assert.GreaterOrEqual(t, got.ReadyReplicas, last, "no replica stops on the way")
		last = got.ReadyReplicas
		if apimeta.IsConditionTrue(got.Conditions, "Ready") {
			assert.Equal(t, int32(3), got.ReadyReplicas)
			assert.Equal(t, event.Object.Generation, got.ObservedGeneration)
			managed := event.Object.ManagedFields
			require.NotEmpty(t, managed)
			assert.Equal(t, "database-operator", managed[len(managed)-1].Manager, "who owns the status")
			return
		}
	}
}

func TestRefusals(t *testing.T) {
	url := start(t) + "/apis/platform.example.com/v1/namespaces/default/databases"
	tests := []struct {
		name, spec, field, says string
	}{
		{"unknown engine", `{"engine":"oracle"}`, "spec.engine", `Unsupported value: "oracle"`},
		{"no engine", `{}`, "spec.engine", "Required value"},
		{"too many replicas", `{"engine":"postgres","replicas":10}`, "spec.replicas", "less than or equal to 9"},
		{"replicas of sqlite", `{"engine":"sqlite","replicas":2}`, "spec.replicas", "sqlite runs as one instance"},
		{"one user twice", `{"engine":"mysql","users":[{"name":"a"},{"name":"a"}]}`, "spec.users[1]", "Duplicate value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"apiVersion":"platform.example.com/v1","kind":"Database","metadata":{"name":"x"},"spec":` + tt.spec + `}`
			answer, err := http.Post(url, "application/json", strings.NewReader(body))
			require.NoError(t, err)
			defer answer.Body.Close()
			assert.Equal(t, http.StatusUnprocessableEntity, answer.StatusCode)
			var st status.Status
			require.NoError(t, json.NewDecoder(answer.Body).Decode(&st))
			require.NotNil(t, st.Details, st.Message)
			require.Len(t, st.Details.Causes, 1, st.Message)
			assert.Equal(t, tt.field, st.Details.Causes[0].Field)
			assert.Contains(t, st.Details.Causes[0].Message, tt.says)
		})
	}
}

// The host has the namespace default. Clients create others, and the deletion of a namespace deletes its databases.
func TestNamespaces(t *testing.T) {
	url := start(t)
	create := func(path, object string) int {
		answer, err := http.Post(url+path, "application/json", strings.NewReader(object))
		require.NoError(t, err)
		defer answer.Body.Close()
		return answer.StatusCode
	}
	const shop = "/apis/platform.example.com/v1/namespaces/shop/databases"
	database := `{"apiVersion":"platform.example.com/v1","kind":"Database","metadata":{"name":"x"},"spec":{"engine":"mysql"}}`
	assert.Equal(t, http.StatusNotFound, create(shop, database))
	assert.Equal(t, http.StatusCreated, create("/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`))
	assert.Equal(t, http.StatusCreated, create(shop, database))
	assert.Equal(t, http.StatusCreated, create("/api/v1/namespaces/default/events", `{"apiVersion":"v1","kind":"Event",
		"metadata":{"name":"x.1"},"involvedObject":{"namespace":"default","name":"x"}}`))
	answer, err := http.Get(url + "/api/v1/namespaces")
	require.NoError(t, err)
	defer answer.Body.Close()
	var all struct{ Items []builtin.Namespace }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&all))
	require.Len(t, all.Items, 2)
	assert.Equal(t, "default", all.Items[0].Name)

	stream, err := http.Get(url + "/apis/platform.example.com/v1/databases?watch=true")
	require.NoError(t, err)
	defer stream.Body.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url+"/api/v1/namespaces/shop", nil)
	require.NoError(t, err)
	deleted, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, deleted.Body.Close())
	var event struct{ Type string }
	for decoder := json.NewDecoder(stream.Body); event.Type != "DELETED"; {
		require.NoError(t, decoder.Decode(&event))
	}
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
}

// The operator takes one step at a time, and writes nothing if there is nothing
// to do.
func TestAdvance(t *testing.T) {
	d := &Database{Spec: DatabaseSpec{Replicas: 2}}
	d.Generation = 1
	var ready []int32
	for advance(d) {
		ready = append(ready, d.Status.ReadyReplicas)
	}
	assert.Equal(t, []int32{1, 2}, ready)
	assert.True(t, apimeta.IsConditionTrue(d.Status.Conditions, "Ready"))
	assert.Equal(t, int64(1), d.Status.ObservedGeneration)

	d.Spec.Replicas, d.Generation = 1, 2
	assert.True(t, advance(d), "a smaller spec is a step too")
	assert.False(t, advance(d))
	assert.Equal(t, int64(2), d.Status.ObservedGeneration)
}
