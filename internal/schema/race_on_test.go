//go:build race

package schema_test

// raceEnabled makes tests that count allocations skip, because the race detector allocates.
const raceEnabled = true
