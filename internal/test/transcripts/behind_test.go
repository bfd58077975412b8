package transcripts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/conformance"
)

// deviations are the cases of Widgets in which our server deviates on purpose (rest/conformance/expected.yaml).
var deviations = conformance.Known{Different: []conformance.Different{
	{Row: "version-on-create", Cases: []string{"create/resource-version-on-create"}},
	{Row: "version-invalid-in-read", Cases: []string{"get/resource-version-invalid"}},
}}

// Through kube-apiserver, an aggregated server answers for the kind Widget as kube-apiserver does for a custom
// resource. kube-apiserver itself answers the cases of other kinds.
func TestTranscriptsBehindKubeAPIServer(t *testing.T) {
	s := realapitest.Start(t)
	s.Stop()
	s.Resume() // after a restart, kube-apiserver no longer knows the history after revision 1, as a case expects
	s.Permit()
	s.Kubectl("admin", "create", "clusterrolebinding", "program", "--clusterrole=cluster-admin",
		"--serviceaccount=reports:reports")
	store := inMemory(t)
	s.Aggregate(t, "example.com", rest.Options{CEL: cel.Evaluator(), Store: store}, widget.Resource())
	s.Available("v1.example.com")
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	authority, err := os.ReadFile(s.Path("ca.crt"))
	require.NoError(t, err)
	report, err := conformance.Run(t.Context(), conformance.Options{Server: s.URL(), Token: "admin",
		Authorities: authority, StrictMessages: true, Jobs: 4, Known: deviations})
	require.NoError(t, err)
	for _, r := range report.Results {
		if !r.Verdict.OK() {
			t.Error(r.Text(true))
		}
	}
	var table strings.Builder
	require.NoError(t, report.WriteTable(&table))
	t.Log(table.String())
	assert.True(t, report.OK())
}
