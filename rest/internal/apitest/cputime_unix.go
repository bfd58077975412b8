//go:build unix

package apitest

import "syscall"

// cpuTime is the processor time that the process has used, in nanoseconds.
func cpuTime() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail for RUSAGE_SELF
	return float64(usage.Utime.Nano() + usage.Stime.Nano())
}
