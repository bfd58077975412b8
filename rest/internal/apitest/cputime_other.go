//go:build !unix

package apitest

import "time"

var began = time.Now()

// cpuTime is the time that has passed, in nanoseconds, because the processor time is known only on Unix.
func cpuTime() float64 { return float64(time.Since(began)) }
