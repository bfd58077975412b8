//go:build unix && !race

package kubeapitest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// A test does not notice the cost of an API of its own, once the process has had its first one. That cost is a third of
// the limit. The race detector multiplies it.
func TestFurtherAPIsStartFast(t *testing.T) {
	kubeapitest.New(t, kubeapitest.Options{})
	least := time.Hour
	for range 10 {
		t.Run("", func(t *testing.T) {
			before := processorTime(t)
			kubeapitest.New(t, kubeapitest.Options{})
			least = min(least, processorTime(t)-before)
		})
	}
	assert.Less(t, least, 15*time.Millisecond)
}
