package e2e_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
)

// serveHookedNotes serves notes and webhook configurations. Its own webhook, whose manifest is the result, refuses
// notes without a text.
func serveHookedNotes(t *testing.T) (s *server, manifest string) {
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{hooks}}, builtin.Namespaces(),
		rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"})
	require.NoError(t, err)
	over := httptest.NewServer(api)
	t.Cleanup(func() {
		over.CloseClientConnections()
		require.NoError(t, api.Close())
		over.Close()
	})
	reviewer := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID    string
				Object Note
			}
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&review))
		_, _ = fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":%v,
			"status":{"message":"a note needs a text"},"warnings":["notes are public"]}}`, review.Request.UID, review.Request.Object.Text != "")
	}))
	t.Cleanup(reviewer.Close)
	bundle, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: reviewer.Certificate().Raw}))
	require.NoError(t, err)
	return &server{url: over.URL, kubectl: newest(), home: t.TempDir()}, fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: notes}
webhooks:
- name: notes.example.com
  clientConfig: {url: %s, caBundle: %s}
  rules: [{operations: [CREATE, UPDATE], apiGroups: [example.com], apiVersions: [v1], resources: [notes], scope: '*'}]
  sideEffects: None
  admissionReviewVersions: [v1]
`, reviewer.URL, bundle)
}

// A user registers a webhook with kubectl, sees its refusals and warnings, and removes it.
func TestKubectlWithAdmissionWebhooks(t *testing.T) {
	s, manifest := serveHookedNotes(t)
	const empty, full = `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"a"}}`,
		`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"a"},"text":"x"}`
	for _, step := range []struct {
		stdin string
		args  []string
		code  int
		want  string
	}{
		{manifest, []string{"apply", "-f", "-"}, 0,
			"validatingwebhookconfiguration.admissionregistration.k8s.io/notes created\n"},
		{manifest, []string{"apply", "-f", "-"}, 0,
			"validatingwebhookconfiguration.admissionregistration.k8s.io/notes unchanged\n"},
		{"", []string{"get", "validatingwebhookconfigurations", "-o",
			"custom-columns=NAME:.metadata.name,POLICY:.webhooks[0].failurePolicy"}, 0, "NAME    POLICY\nnotes   Fail\n"},
		{empty, []string{"apply", "-n", "default", "-f", "-"}, 1, "Warning: notes are public\n" +
			"Error from server: error when creating \"STDIN\": admission webhook \"notes.example.com\" denied the request: a note needs a text\n"},
		{full, []string{"apply", "-n", "default", "-f", "-"}, 0, "Warning: notes are public\nnote.example.com/a created\n"},
		{"", []string{"delete", "validatingwebhookconfiguration", "notes"}, 0,
			"Warning: deleting cluster-scoped resources, not scoped to the provided namespace\nvalidatingwebhookconfiguration.admissionregistration.k8s.io \"notes\" deleted\n"},
		{empty, []string{"replace", "-n", "default", "-f", "-"}, 0, "note.example.com/a replaced\n"},
	} {
		cmd := s.command(t.Context(), step.stdin, step.args...)
		out, _ := cmd.CombinedOutput()
		assert.Equal(t, step.code, cmd.ProcessState.ExitCode(), "%v", step.args)
		assert.Equal(t, step.want, string(out), "%v", step.args)
	}
}
