package apiextensions

import "github.com/decorum-go/decorum/status"

// maxFaultBytes bounds the texts of the faults that one walk through a definition reports. A fault names its whole
// path, and a path may be nearly as long as the definition. Without a bound, the answer could be thousands of times
// longer than the request.
const maxFaultBytes = 1 << 20

// faults collects the faults of a definition.
type faults struct {
	errs  status.FieldErrors
	bytes int
	found int // includes the faults that were dropped
}

// full reports whether further faults would be dropped, so that a walk can end early.
func (f *faults) full() bool { return f.bytes >= maxFaultBytes }

// fail adds faults until there are too many. A fault that is too long on its own does not repeat its value.
func (f *faults) fail(errs ...*status.FieldError) {
	f.found += len(errs)
	for _, e := range errs {
		if f.full() {
			return
		}
		size := len(e.Error())
		if size > maxFaultBytes {
			short := status.BrokenRuleField(nil, e.Detail)
			short.Type, short.Field = e.Type, e.Field
			e, size = short, len(short.Error())
		}
		f.errs = append(f.errs, e)
		f.bytes += size
	}
}
