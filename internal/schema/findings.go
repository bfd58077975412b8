package schema

import "github.com/decorum-go/decorum/status"

// One walk names up to maxNamed unknown fields or errors, and no more once their places and details have maxNamedBytes
// together, since the key of a map may be as long as the document: a document of any size is answered in bounded space.
// Upstream reports as many unknown fields.
const (
	maxNamed      = 100
	maxNamedBytes = 64 << 10
)

// findings are the errors of one walk.
type findings struct {
	errs  status.FieldErrors
	bytes int
}

func (f *findings) full() bool { return len(f.errs) >= maxNamed || f.bytes >= maxNamedBytes }

func (f *findings) add(err *status.FieldError) {
	if !f.full() {
		f.errs = append(f.errs, err)
		f.bytes += len(err.Field) + len(err.Detail)
	}
}
