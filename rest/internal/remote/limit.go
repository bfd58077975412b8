package remote

import (
	"fmt"
	"io"
)

// maxObject limits the size of an object in a list, and of an event, in bytes.
const maxObject = 64 << 20

// limitedReader returns an error after left bytes. Its owner sets left again for each object or event.
type limitedReader struct {
	from io.Reader
	what string // is limited
	left int
	err  error // why the reader has ended: io.EOF, or a failure
}

func (r *limitedReader) Read(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.left <= 0 {
		r.err = fmt.Errorf("%s exceeds the limit of %d bytes", r.what, maxObject)
		return 0, r.err
	}
	n, r.err = r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, r.err
}
