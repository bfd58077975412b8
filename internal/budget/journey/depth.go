package main

import (
	"runtime"
	"strings"
	"sync/atomic"
)

const library = "github.com/decorum-go/decorum/"

// depth remembers the deepest stack at a place, counted in functions of the library.
type depth struct{ functions atomic.Int64 }

func (d *depth) reset() { d.functions.Store(0) }

func (d *depth) deepest() int { return int(d.functions.Load()) }

// here notes the stack of its caller. The functions of this program are not the library's.
func (d *depth) here() {
	callers := make([]uintptr, 200)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	var count int64
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); strings.HasPrefix(frame.Function, library) {
			count++
		}
	}
	for {
		before := d.functions.Load()
		if count <= before || d.functions.CompareAndSwap(before, count) {
			return
		}
	}
}
