package media

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
)

func TestCopiesAreLimitedTogether(t *testing.T) {
	var c Copies
	require.NoError(t, c.Take(maxCopies+1), "an answer of any size that is alone")
	assert.True(t, status.IsTooManyRequests(c.Take(1)))
	assert.NoError(t, c.Take(0), "an answer that is no copy")
	assert.False(t, c.takeForList(1))
	c.Release(maxCopies + 1)
	assert.True(t, c.takeForList(maxListCopies))
	assert.False(t, c.takeForList(1))
	assert.NoError(t, c.Take(maxCopies-maxListCopies))
	assert.True(t, status.IsTooManyRequests(c.Take(1)))
}
