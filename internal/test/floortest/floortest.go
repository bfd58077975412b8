// Package floortest compares the writes of a store with the minimum that any store of its kind must do.
package floortest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Step is one way to write an object of 2 KB. The first step of a comparison is the bare one.
type Step struct {
	Name string
	// Write makes one write. Each call gets a different n.
	Write func(n int) error
	// Show waits until another client sees the write. It is nil if no other client watches.
	Show func() error

	written, shown []time.Duration
}

// Compare runs the steps in random order, each for turn writes at a time, because the work that a write leaves behind
// slows down the next step. It reports the fastest twentieth and the median of each step, in microseconds and as a
// ratio to the bare step. Other work on the machine matters little for the fastest twentieth.
func Compare(b *testing.B, turn int, steps ...*Step) {
	b.Helper()
	n := 0
	for b.Loop() {
		for _, i := range rand.Perm(len(steps)) {
			for range turn {
				n++
				require.NoError(b, steps[i].take(n))
			}
		}
	}
	slices.Sort(steps[0].written)
	bare := steps[0].written
	for _, s := range steps {
		report(b, s.Name, s.written, bare)
		report(b, s.Name+"-shown", s.shown, bare)
	}
}

// take makes one write and notes its times.
func (s *Step) take(n int) error {
	began := time.Now()
	if err := s.Write(n); err != nil {
		return err
	}
	s.written = append(s.written, time.Since(began))
	if s.Show == nil {
		return nil
	}
	if err := s.Show(); err != nil {
		return err
	}
	s.shown = append(s.shown, time.Since(began))
	return nil
}

// report reports times beside those of the bare step. bare must be sorted.
func report(b *testing.B, name string, times, bare []time.Duration) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	for _, quantile := range []struct {
		suffix string
		share  int // the quantile is 1/share
	}{{"", 20}, {"-median", 2}} {
		ours, limit := times[len(times)/quantile.share], bare[len(bare)/quantile.share]
		b.ReportMetric(float64(ours.Nanoseconds())/1000, name+quantile.suffix+"-µs")
		b.ReportMetric(float64(ours)/float64(limit), name+quantile.suffix+"/bare")
	}
}
