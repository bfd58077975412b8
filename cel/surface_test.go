package cel_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/surface"
)

// Users can name every type that the exported API shows.
func TestExportedAPIShowsNoInternalType(t *testing.T) {
	const module = "github.com/decorum-go/decorum/cel"
	packages, err := surface.Check(module)
	require.NoError(t, err)
	assert.Equal(t, []string{module}, packages)
}
