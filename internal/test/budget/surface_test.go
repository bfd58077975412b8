package budget_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/surface"
)

// Users can name every type that the exported API shows. The nested modules hold themselves to the same rule.
func TestExportedAPIShowsNoInternalType(t *testing.T) {
	packages, err := surface.Check(core)
	require.NoError(t, err)
	assert.Subset(t, packages, []string{core + "/patch", core + "/rest", core + "/rest/cbor", core + "/storage"})
}

// A reader of package rest needs no type of the store but those that a host passes, and their figures. Programs that
// need records and cursors use package raw.
func TestRestShowsOnlyTheStoreOfItsOptions(t *testing.T) {
	mentions, err := surface.Mentions(core+"/rest", core+"/storage", core+"/watch")
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{
		core + "/rest.Limits.Budget mentions " + core + "/storage.Budget",
		core + "/rest.Options.Store mentions " + core + "/storage.Store",
		core + "/rest.Options.Stores mentions " + core + "/storage.Store",
		core + "/rest.Stats.Of mentions " + core + "/storage.StoreStats",
		core + "/rest.Stats.Store mentions " + core + "/storage.StoreStats",
		core + "/rest.Stats.Stores mentions " + core + "/storage.StoreStats",
	}, mentions)
}
