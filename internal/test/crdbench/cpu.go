package crdbench

import (
	"syscall"
	"time"
)

// CPU returns the processor time that the process has taken, in user and kernel mode. On a machine with other load, it
// says more about the cost of an operation than the time on the clock.
func CPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
