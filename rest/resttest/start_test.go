//go:build !race

package resttest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// A test does not notice the cost of a server of its own. The race detector multiplies this cost.
func TestStartsFast(t *testing.T) {
	best := time.Hour
	for range 20 {
		inner := &fakeT{TB: t}
		best = min(best, apitest.ProcessorTime(func() { resttest.New(inner, ships()) }))
		inner.cleanUp()
	}
	assert.Less(t, best, 5*time.Millisecond)
}
