package k8s_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

// resource.Quantity reads numbers exactly, and with an exponent like this one for seconds or, with more digits, for
// hours.
const endless = "1e-9999999"

func TestQuantitiesThatAreReadForHours(t *testing.T) {
	api, err := rest.New(rest.Options{}, k8s.Resource[corev1.Pod]())
	require.NoError(t, err)
	defer func() { require.NoError(t, api.Close()) }()
	const pods = "/api/v1/namespaces/default/pods"
	do := func(method, path, media, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		return w
	}
	pod := func(cpu string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":` + cpu + `}}}]}}`
	}
	w := do("POST", pods, "application/json", pod(`"100m"`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	tests := map[string]struct{ method, path, media, body string }{
		"JSON":        {"POST", pods, "application/json", pod(`"` + endless + `"`)},
		"a number":    {"POST", pods, "application/json", pod(endless)},
		"many digits": {"POST", pods, "application/json", pod(strings.Repeat("9", 1<<20))},
		"a wrong type": {"POST", pods, "application/json",
			strings.Replace(pod(`"`+endless+`"`), `"name":"c"`, `"name":1`, 1)},
		"YAML":     {"PUT", pods + "/a", "application/yaml", pod(`"` + endless + `"`)},
		"Protobuf": {"POST", pods, protobuf, string(podInProtobuf(t))},
		"merge patch": {"PATCH", pods + "/a", "application/merge-patch+json",
			`{"spec":{"overhead":{"cpu":"` + endless + `"}}}`},
		"strategic patch": {"PATCH", pods + "/a", "application/strategic-merge-patch+json",
			`{"spec":{"overhead":{"cpu":"` + endless + `"}}}`},
		"JSON patch": {"PATCH", pods + "/a", "application/json-patch+json",
			`[{"op":"add","path":"/spec/overhead","value":{"cpu":"` + endless + `"}}]`},
		"apply": {"PATCH", pods + "/a?fieldManager=m&force=true", "application/apply-patch+yaml",
			pod(`"` + endless + `"`)},
		"status": {"PATCH", pods + "/a/status", "application/merge-patch+json",
			`{"status":{"allocatedResources":{"cpu":"` + endless + `"}},"spec":{"overhead":{"cpu":"` + endless + `"}}}`},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			w := do(c.method, c.path, c.media, c.body)
			refusals := []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
			assert.Contains(t, refusals, w.Code, w.Body)
			assert.Contains(t, w.Body.String(), "has too many digits")
		})
	}
	// In a text field, the same characters are just text.
	w = do("POST", pods, "application/json",
		strings.Replace(pod(`"1"`), `"name":"a"`, `"name":"b","annotations":{"n":"`+endless+`"}`, 1))
	assert.Equal(t, http.StatusCreated, w.Code, w.Body)
}

// podInProtobuf returns a Pod with a quantity that no Go program writes.
func podInProtobuf(t *testing.T) []byte {
	const stand = "1234567891" // has the same length
	pod := &corev1.Pod{ObjectMeta: named("b"),
		Spec: corev1.PodSpec{Overhead: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(stand)}}}
	message, err := pod.Marshal()
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(message, []byte(stand)))
	message = bytes.Replace(message, []byte(stand), []byte(endless), 1)
	length := []byte{byte(len(message))}
	require.Less(t, len(message), 128)
	return append(append([]byte("k8s\x00\x12"), length...), message...)
}
