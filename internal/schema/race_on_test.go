//go:build race

package schema_test

// raceEnabled tells tests that count allocations that they cannot.
const raceEnabled = true
