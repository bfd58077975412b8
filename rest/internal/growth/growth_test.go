//go:build unix

package growth_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// directory is the environment variable that names the directory for the plots. It also makes the numbers large.
const directory = "DECORUM_GROWTH"

// plan says for which numbers the costs are measured.
type plan struct {
	objects, watches, writers []int
	operations                int // the number of operations in each round
}

var (
	few  = plan{objects: []int{100, 1000}, watches: []int{1, 10}, writers: []int{1, 4}, operations: 20}
	many = plan{
		objects: []int{10_000, 100_000, 1_000_000}, watches: []int{1, 10, 100, 1000, 10_000}, writers: []int{1, 4, 16, 64},
		operations: 1000,
	}
)

// large reports whether the test runs with large numbers.
func large() bool { return os.Getenv(directory) != "" }

func TestGrowth(t *testing.T) {
	p, dir := few, os.Getenv(directory)
	say := func(string) {}
	if !large() {
		dir = t.TempDir()
	} else {
		p, say = many, func(text string) { fmt.Println(text) }
	}
	for _, measure := range []func(*testing.T, plan) []figures{withWriters, withWatches, withObjects} {
		for _, f := range measure(t, p) {
			f.publish(t, dir, say)
		}
	}
}

// figures are costs at several numbers of something.
type figures struct {
	name, of string  // what the numbers count
	unit     string  // the unit of the costs
	absolute bool    // the plot shows the costs in their unit, and not beside the first one
	linear   bool    // the plot has the numbers at even distances, and not their logarithms
	aim      float64 // the aim of the curve, as the plot shows it, or 0
	aimed    int     // how many curves have the aim, from the first one
	at       []int
	curves   []curve
}

// curve is the cost of one operation at each number.
type curve struct {
	name  string
	costs []float64
}

// publish prints the table, and writes the plot into the directory.
func (f *figures) publish(t *testing.T, dir string, say func(string)) {
	for _, c := range f.curves {
		require.Len(t, c.costs, len(f.at), c.name)
		for _, cost := range c.costs {
			require.Positive(t, cost, c.name)
		}
	}
	say(f.table() + f.misses())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "growth-"+f.name+".svg"), f.plot(), 0o644))
}

// add notes the cost of an operation at the next number.
func (f *figures) add(operation string, cost float64) {
	for i := range f.curves {
		if f.curves[i].name == operation {
			f.curves[i].costs = append(f.curves[i].costs, cost)
			return
		}
	}
	f.curves = append(f.curves, curve{operation, []float64{cost}})
}

// rounds is how often each cost is measured. The least counts.
const rounds = 20

// least returns the least processor time of an operation, in microseconds. In each round, prepare returns what runs n
// operations.
func least(n int, prepare func() func()) float64 {
	best := math.Inf(1)
	for range rounds {
		run := prepare()
		best = min(best, float64(apitest.ProcessorTime(run))/float64(time.Microsecond)/float64(n))
	}
	return best
}

// again is for an operation that needs no preparation.
func again(run func()) func() func() { return func() func() { return run } }
