package builtin_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
)

// start serves the kinds of package builtin.
func start(t *testing.T) *resttest.Server {
	t.Helper()
	return resttest.New(t, builtin.Namespaces(), builtin.Leases(), builtin.Events())
}

// The paths of the kinds in the namespace default.
const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	events = "/api/v1/namespaces/default/events"
)

// send sends a request and returns the code and the body of the answer. headers alternates names and values.
func send(t *testing.T, s *resttest.Server, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://host"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := s.RoundTripper().RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}
