package transcripts_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/test/corekinds"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/conformance"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// Each host answers as the recorded server did, at its root or below a prefix, with the objects in memory or in a file.
func TestTranscripts(t *testing.T) {
	known, err := os.ReadFile("../../../rest/conformance/expected.yaml")
	require.NoError(t, err)
	expected, err := conformance.ParseKnown(known)
	require.NoError(t, err)
	for _, host := range []struct {
		name, prefix string
		defined      bool // the kind Widget comes from its CustomResourceDefinition
		open         func(t *testing.T) storage.Store
	}{
		{name: "at the root, in memory", open: inMemory},
		{name: "below a prefix, with Widget from its definition", prefix: "/p", defined: true, open: inMemory},
		{name: "in a file", open: inFile(0)},
		{name: "in a file, with a text in memory only while it is needed", open: inFile(1)},
	} {
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.StripPrefix(host.prefix, newAPI(t, host.open(t), host.defined)))
			t.Cleanup(server.Close)
			report, err := conformance.Run(t.Context(), conformance.Options{
				Server: server.URL + host.prefix, Known: expected, StrictMessages: true, Jobs: 4,
			})
			require.NoError(t, err)
			for _, r := range report.Results {
				if !r.Verdict.OK() {
					t.Error(r.Text(true))
				}
			}
			assert.True(t, report.OK())
			var table strings.Builder
			require.NoError(t, report.WriteTable(&table))
			t.Log(table.String())
		})
	}
}

func inMemory(*testing.T) storage.Store { return memory.New(storage.Options{}) }

// inFile opens a store in a file with a limit for texts in memory.
func inFile(texts int64) func(t *testing.T) storage.Store {
	return func(t *testing.T) storage.Store {
		store, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(t.TempDir(), "objects.db"), TextBytes: texts,
			Engine: storage.Options{MaxLogBytes: 64 << 20}})
		require.NoError(t, err)
		return store
	}
}

// newAPI serves the kinds of the transcripts.
func newAPI(t *testing.T, store storage.Store, defined bool) *rest.API {
	t.Helper()
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	kinds := []rest.Definition{corekinds.ConfigMaps(), corekinds.Nodes(), builtin.Namespaces(), builtin.Leases(), builtin.Events()}
	if !defined {
		kinds = append(kinds, widget.Resource())
	}
	api, err := rest.New(rest.Options{Store: store, Authorizer: access.AuthorizerFunc(corekinds.Decide), CEL: cel.Evaluator(),
		Plugins: []rest.Plugin{auth.Reviews(), new(corekinds.Accounts), crd.New(crd.Options{})}}, kinds...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	if defined {
		require.NoError(t, widget.Define(t.Context(), api))
	}
	// The recorded server had compacted its first revisions, so a watch from revision 1 must get 410 here too.
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	return api
}
