package kinds_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The values of a ConfigMap or a Secret have 1 MiB together at most, as in Kubernetes, whichever of its fields hold
// them, and also after an update.
func TestSizesOfConfigMapsAndSecrets(t *testing.T) {
	const limit, mergePatch = 1 << 20, "application/merge-patch+json"
	api := newAPI(t)
	plain := func(n int) string { return strings.Repeat("x", n) }
	encoded := func(n int) string { return base64.StdEncoding.EncodeToString([]byte(plain(n))) }
	for i, c := range []struct {
		plural, kind, body string
		code               int
		message            string
	}{
		{"configmaps", "ConfigMap", `"data":{"a":"` + plain(limit) + `"}`, http.StatusCreated, ""},
		{"configmaps", "ConfigMap", `"data":{"a":"` + plain(limit) + `","b":"x"}`, 422, "may not be more than 1048576 bytes"},
		{"configmaps", "ConfigMap", `"data":{"a":"` + plain(limit/2) + `"},"binaryData":{"b":"` + encoded(limit/2) + `"}`,
			http.StatusCreated, ""},
		{"configmaps", "ConfigMap", `"data":{"a":"` + plain(limit/2) + `"},"binaryData":{"b":"` + encoded(limit/2+1) + `"}`,
			422, "may not be more than 1048576 bytes"},
		{"secrets", "Secret", `"data":{"a":"` + encoded(limit) + `"}`, http.StatusCreated, ""},
		{"secrets", "Secret", `"data":{"a":"` + encoded(limit) + `","b":"` + encoded(1) + `"}`, 422,
			"data: Too long: may not be more than 1048576 bytes"},
		{"secrets", "Secret", `"stringData":{"a":"` + plain(limit+1) + `"}`, 422,
			"data: Too long: may not be more than 1048576 bytes"},
	} {
		path := "/api/v1/namespaces/default/" + c.plural
		body := fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":"n%d"},%s}`, c.kind, i, c.body)
		code, message := send(t, api, "POST", path, "application/json", body)
		assert.Equal(t, c.code, code, "%d: %.200s", i, message)
		assert.Contains(t, message, c.message)
		if code == http.StatusCreated {
			code, message = send(t, api, "PATCH", fmt.Sprintf("%s/n%d", path, i), mergePatch,
				`{"data":{"more":"`+encoded(1)+`"}}`)
			assert.Equal(t, 422, code, "%d: a patch that adds a byte: %.200s", i, message)
		}
	}
}
