package conformance_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// Record applies the fixtures, and waits until the server serves the kinds that
// they define.
func TestRecordInstallsFixtures(t *testing.T) {
	t.Parallel()
	var applied, asked atomic.Int32
	server := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodPatch:
			body, _ := io.ReadAll(r.Body)
			assert.Equal(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com?fieldManager=conform&force=true", r.URL.String())
			assert.Equal(t, "application/apply-patch+yaml", r.Header.Get("Content-Type"))
			assert.Contains(t, string(body), `"plural":"widgets"`)
			applied.Add(1)
		case r.URL.Path == "/apis/example.com/v1/widgets":
			if asked.Add(1) == 2 {
				w.WriteHeader(http.StatusNotFound) // some of its routes do not exist yet
			}
		default:
			return false
		}
		return true
	}}
	o := conformance.Options{Server: server.start(t), Cases: folder("one.yaml", oneCase("a", "[]"))}
	done, err := conformance.Record(t.Context(), o, conformance.Fixtures(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, 1, done.Cases)
	assert.Equal(t, int32(1), applied.Load())
	assert.Equal(t, int32(7), asked.Load(), "five times in a row")
}

func TestRecordErrors(t *testing.T) {
	refusing := &fake{Instead: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "no")
		return true
	}}
	o := conformance.Options{Server: refusing.start(t), Cases: folder("one.yaml", oneCase("a", "[]"))}
	_, err := conformance.Record(t.Context(), o, conformance.Fixtures(), t.TempDir())
	require.EqualError(t, err, "fixtures: widget-crd.yaml: 403 no")

	done, err := conformance.Record(t.Context(), o, nil, t.TempDir())
	require.NoError(t, err)
	require.Len(t, done.Failed, 1)
	assert.True(t, strings.HasPrefix(done.Failed[0], "one/a: creating namespace cf-"), done.Failed[0])
}
