package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each program starts, does what the load asks for, and costs something. The programs that this module builds always
// run.
func TestPrograms(t *testing.T) {
	results, err := measure(t.Context(),
		plan{rounds: 1, objects: 20, gets: 16, lists: 1, creates: 16, writes: 16, changes: 2, streams: 3})
	require.NoError(t, err)
	require.Len(t, results, 1+len(programs()))
	for i, r := range results {
		if i == len(results)-1 && r.notRun != "" {
			assert.Equal(t, "KUBEBUILDER_ASSETS is not set", r.notRun)
			continue
		}
		assert.Empty(t, r.notRun, r.program)
		assert.Len(t, r.costs, len(operations), r.program)
		for name, cost := range r.costs {
			assert.Positive(t, cost, "%s, %s", r.program, name)
		}
		assert.Greater(t, r.memory, int64(1<<20), r.program)
	}
}

func TestTable(t *testing.T) {
	costs := func(factor time.Duration) map[string]time.Duration {
		all := map[string]time.Duration{}
		for i, o := range operations {
			all[o.name] = factor * time.Duration(i+1) * 40 * time.Microsecond
		}
		return all
	}
	assert.Equal(t, `| program | GET | LIST after a change | LIST again | CREATE | PUT | merge PATCH | WATCH, a delivery | memory |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| bare | 40.0 | 80.0 | 120 | 160 | 200 | 240 | 280 | 3 MB |
| ours | 2,000, 50 | 4,000, 50 | 6,000, 50 | 8,000, 50 | 10,000, 50 | 12,000, 50 | 14,000, 50 | 5 MB |
| theirs | NOT RUN: why | | | | | | | |
`, table([]*result{{program: "bare", costs: costs(1), memory: 3e6}, {program: "ours", costs: costs(50), memory: 5e6},
		{program: "theirs", notRun: "why"}}))
}
