package budget_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/surface"
)

// Users can name every type that the exported API shows. The nested modules hold themselves to the same rule.
func TestExportedAPIShowsNoInternalType(t *testing.T) {
	packages, err := surface.Check(core)
	require.NoError(t, err)
	assert.Subset(t, packages, []string{core + "/patch", core + "/rest", core + "/rest/cbor", core + "/storage"})
}
