package codec

import (
	"bytes"
	"sync"
)

// draft is a buffer for a text whose size is not known before it is written.
type draft struct{ bytes.Buffer }

// drafts pools unused drafts.
var drafts = sync.Pool{New: func() any { return new(draft) }}

func newDraft() *draft { return drafts.Get().(*draft) }

// maxDraft is the largest buffer, in bytes, that the pool keeps. It has room for the largest object that a request can
// carry. The garbage collector empties the pool.
const maxDraft = 4 << 20

// release returns the buffer of a text to the pool. The caller must not use the text afterwards.
func (d *draft) release(text []byte) {
	if cap(text) <= maxDraft {
		d.Buffer = *bytes.NewBuffer(text[:0])
		drafts.Put(d)
	}
}
