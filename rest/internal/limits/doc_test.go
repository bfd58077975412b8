// Package limits_test measures requests beside their limits: the least that any program would do for the same answers.
// Each benchmark reports the ratio of the two, the spread of this ratio, and the ratio that the project aims at. make
// bench prints them as a table.
//
// The clients run in a process of their own, so the figures contain the processor time of the server alone.
package limits_test
