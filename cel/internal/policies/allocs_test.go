//go:build !race

package policies_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// While no policy has a binding, a write allocates as much as without policies, but for what finds the hooks that see
// it.
func TestIdlePoliciesCostNothing(t *testing.T) {
	// The decoder of JSON keeps strings in a small table, so a random uid or a new time may displace another string, which
	// is then allocated with every read.
	steady := rest.Options{Now: func() time.Time { return time.Unix(0, 0) }, NewUID: func() string { return "a-uid" }}
	bare, err := rest.New(steady, rest.Resource[Widget]{Group: "example.com", Version: "v1", Plural: "widgets"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, bare.Close()) })
	with := newServer(t, steady, false)
	with.create(policiesPath, validatingPolicy("p", `"validations": [{"expression": "false"}]`))
	allocations := func(api *rest.API) float64 {
		widgets := resttest.Client[Widget](t, api).Namespace("default")
		w, err := widgets.Create(t.Context(), &Widget{ObjectMeta: named("w")})
		require.NoError(t, err)
		return testing.AllocsPerRun(100, func() {
			w.Spec.Size++
			w, err = widgets.Update(t.Context(), w)
			require.NoError(t, err)
		})
	}
	without := allocations(bare)
	require.LessOrEqual(t, allocations(with.API), without+2)
}
