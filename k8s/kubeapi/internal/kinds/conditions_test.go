package kinds_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Kubernetes has one type for the conditions of new kinds, and checks them for some of these kinds only.
func TestConditionsOfSomeKindsMayLackFields(t *testing.T) {
	api := newAPI(t)
	const bare = `[{"type":"A","status":"True"}]`
	for path, c := range map[string]struct{ object, status, refused string }{
		"/api/v1/namespaces/default/services": {
			`{"metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`, `{"conditions":` + bare + `}`, ""},
		"/apis/networking.k8s.io/v1/servicecidrs": {
			`{"metadata":{"name":"a"},"spec":{"cidrs":["10.1.0.0/24"]}}`, `{"conditions":` + bare + `}`, ""},
		"/apis/policy/v1/namespaces/default/poddisruptionbudgets": {
			`{"metadata":{"name":"a"},"spec":{"minAvailable":1,"selector":{}}}`, `{"conditions":` + bare + `}`,
			"status.conditions[0].lastTransitionTime: Required value"},
		"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims": {
			`{"metadata":{"name":"a"},"spec":{}}`,
			`{"devices":[{"driver":"a","pool":"b","device":"c","conditions":` + bare + `}]}`,
			"status.devices[0].conditions[0].lastTransitionTime: Required value"},
	} {
		t.Run(path, func(t *testing.T) {
			send := func(method, path, contentType, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("Content-Type", contentType)
				answer := httptest.NewRecorder()
				api.ServeHTTP(answer, r)
				return answer
			}
			created := send(http.MethodPost, path, "application/json", c.object)
			require.Equal(t, http.StatusCreated, created.Code, created.Body)
			answer := send(http.MethodPatch, path+"/a/status", "application/merge-patch+json", `{"status":`+c.status+`}`)
			if c.refused == "" {
				assert.Equal(t, http.StatusOK, answer.Code, answer.Body)
				assert.Contains(t, answer.Body.String(), `"lastTransitionTime":null`)
				return
			}
			assert.Equal(t, http.StatusUnprocessableEntity, answer.Code, answer.Body)
			assert.Contains(t, answer.Body.String(), c.refused)
		})
	}
}
