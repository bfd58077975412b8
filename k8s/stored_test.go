package k8s_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// The server stores the body as encoding/json writes it after decoding it into the Go type. It adds only the metadata,
// and the defaults of the apply configurations.
func TestObjectsAreStoredAsKubernetesWritesThem(t *testing.T) {
	const pods, services, nodes = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/services", "/api/v1/nodes"
	tests := []struct {
		name, path, body string
		into             any
	}{
		{"quantities", pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c",
			"resources":{"limits":{"cpu":"1000m","memory":"1024Mi"},"requests":{"cpu":0.5}}}]}}`, &corev1.Pod{}},
		{"integer or string", pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"containers":[{"name":"c",
			"livenessProbe":{"httpGet":{"port":"web"}},"readinessProbe":{"tcpSocket":{"port":8080}}}]}}`, &corev1.Pod{}},
		{"empty and null", pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c","labels":{}},"spec":{"containers":[{"name":"c",
			"env":[],"args":null,"image":""}],"nodeSelector":{},"volumes":[{"name":"v","emptyDir":{}}]}}`, &corev1.Pod{}},
		{"repeated elements", pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d"},"spec":{"containers":[{"name":"c",
			"env":[{"name":"A","value":"1"},{"name":"A","value":"2"}],"ports":[{"containerPort":1,"protocol":"TCP"},{"containerPort":1,"protocol":"TCP"}]}]}}`, &corev1.Pod{}},
		{"repeated values", nodes, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"podCIDRs":["10.0.0.0/8","10.0.0.0/8"]}}`, &corev1.Node{}},
		{"keys of two members", services, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"dns"},"spec":{
			"ports":[{"name":"t","port":53,"protocol":"TCP","targetPort":53},{"name":"u","port":53,"protocol":"UDP","targetPort":"dns"}]}}`, &corev1.Service{}},
	}
	s := newServer(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, json.Unmarshal([]byte(tt.body), tt.into))
			want, err := json.Marshal(tt.into)
			require.NoError(t, err)

			response, err := http.Post(s.url+tt.path, "application/json", strings.NewReader(tt.body))
			require.NoError(t, err)
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, response.StatusCode, "%s", got)
			assert.JSONEq(t, members(t, want), members(t, got))
		})
	}
}

// members returns an object without its metadata.
func members(t *testing.T, object []byte) string {
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &m))
	delete(m, "metadata")
	rest, err := json.Marshal(m)
	require.NoError(t, err)
	return string(rest)
}
