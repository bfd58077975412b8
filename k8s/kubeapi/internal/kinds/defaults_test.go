package kinds_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The parts of a stored object that package defaults makes of what a client sends.
func TestObjectsAreStoredWithTheirDefaults(t *testing.T) {
	api := newAPI(t)
	post := func(path, body string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(answer, request)
		return answer
	}
	require.Equal(t, http.StatusCreated,
		post("/api/v1/namespaces", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"b"}}}`).Code)
	for _, c := range []struct {
		name, path, body, field, want string
	}{
		{"fields of a container", "/api/v1/namespaces/a/pods",
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"nginx"}]}}`,
			"spec.containers",
			`[{"name":"a","image":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}]`},
		{"a port that a Go client sends as 0", "/api/v1/namespaces/a/services",
			`{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},"spec":{"ports":[{"port":80,"targetPort":0}]}}`,
			"spec.ports", `[{"port":80,"targetPort":80,"protocol":"TCP"}]`},
		{"the texts of a secret", "/api/v1/namespaces/a/secrets",
			`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"stringData":{"a":"x"}}`, "data", `{"a":"eA=="}`},
		{"a quantity below a thousandth", "/api/v1/namespaces/a/resourcequotas",
			`{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"a"},"spec":{"hard":{"cpu":"0.0001"}}}`, "spec.hard",
			`{"cpu":"1m"}`},
		{"a number that has to be sent", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
			`{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"a"},"spec":{"matchingPrecedence":0,"priorityLevelConfiguration":{"name":"exempt"}}}`,
			"spec.matchingPrecedence", `1000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := post(c.path, c.body)
			require.Equal(t, http.StatusCreated, answer.Code, answer.Body)
			var at any
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &at))
			for key := range strings.SplitSeq(c.field, ".") {
				at = at.(map[string]any)[key]
			}
			got, err := json.Marshal(at)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(got))
		})
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/api/v1/namespaces/a", nil))
	assert.Contains(t, answer.Body.String(), `"labels":{"kubernetes.io/metadata.name":"a"}`)
}
