package k8s_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// accepting returns the body of a GET in one media type.
func (s *server) accepting(t *testing.T, media, path string) []byte {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", media)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", body)
	require.True(t, strings.HasPrefix(response.Header.Get("Content-Type"), media))
	return body
}

// message is a kind with a Protobuf message.
type message interface {
	runtime.Object
	Unmarshal(data []byte) error
}

// Discovery says the same in Protobuf as in JSON.
func TestDiscoveryInProtobuf(t *testing.T) {
	s := newServer(t)
	for path, kind := range map[string]func() message{
		"/api":          func() message { return new(metav1.APIVersions) },
		"/apis":         func() message { return new(metav1.APIGroupList) },
		"/apis/apps":    func() message { return new(metav1.APIGroup) },
		"/apis/apps/v1": func() message { return new(metav1.APIResourceList) },
		"/api/v1":       func() message { return new(metav1.APIResourceList) },
	} {
		t.Run(path, func(t *testing.T) {
			var envelope runtime.Unknown
			require.NoError(t, envelope.Unmarshal(s.accepting(t, protobuf, path)[len("k8s\x00"):]))
			got, want := kind(), kind()
			require.NoError(t, got.Unmarshal(envelope.Raw))
			require.NoError(t, json.Unmarshal(s.accepting(t, "application/json", path), want))
			got.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(envelope.APIVersion, envelope.Kind))
			assert.Equal(t, want, got)
		})
	}
}

// As in a Kubernetes API server, the object of a bookmark is the Go encoding of an object without values.
func TestBookmarksOfStructs(t *testing.T) {
	s := newServer(t)
	const watch = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1"
	for path, rest := range map[string]string{
		"/apis/coordination.k8s.io/v1/leases": `"spec":{}`,
		"/api/v1/services":                    `"spec":{},"status":{"loadBalancer":{}}`,
		"/api/v1/configmaps":                  "",
	} {
		line, _, _ := strings.Cut(string(s.accepting(t, "application/json", path+watch)), "\n")
		var event struct {
			Type   string
			Object map[string]json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(line), &event), line)
		assert.Equal(t, "BOOKMARK", event.Type)
		for _, field := range []string{"apiVersion", "kind", "metadata"} {
			assert.Contains(t, event.Object, field)
			delete(event.Object, field)
		}
		left, err := json.Marshal(event.Object)
		require.NoError(t, err)
		assert.JSONEq(t, "{"+rest+"}", string(left), path)
	}
}
