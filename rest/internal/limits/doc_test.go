// Package limits_test measures requests beside their limits: the least that any program would do for the same answers.
// Each benchmark reports the ratio of the two, the spread of this ratio, and the ratio that the project aims at. make
// bench prints them as a table.
//
// The clients run in a process of their own, so the figures contain the processor time of the server alone. The streams
// beside a watch have a process too, if one process may not open enough files for both sides.
package limits_test
