package media

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"sync"
)

// CompressAbove is the size in bytes above which an answer is compressed, if the client accepts that.
const CompressAbove = 128 << 10

var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic("gzip.BestSpeed is a level: " + err.Error())
	}
	return w
}}

// AcceptsGzip reports whether the Accept-Encoding headers contain the plain token gzip. Like upstream, it ignores q
// values.
func AcceptsGzip(acceptEncoding []string) bool {
	for _, line := range acceptEncoding {
		for token := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(token) == "gzip" {
				return true
			}
		}
	}
	return false
}

// Compressed calls write with a writer that compresses to w. If w refuses to go on, Compressed returns its error.
func Compressed(w io.Writer, write func(io.Writer) error) error {
	chunk := BorrowChunk()
	c := &compressor{to: w, gzip: compressors.Get().(*gzip.Writer), out: bytes.NewBuffer(*chunk)}
	defer func() {
		c.out.Reset()
		ReturnChunk(chunk, c.out.Bytes())
		compressors.Put(c.gzip)
	}()
	c.gzip.Reset(c.out)
	if err := write(c); err != nil {
		return err
	}
	return c.end()
}

// compressor compresses one piece after another, and gathers the compressed bytes until they are worth a write. So it
// compresses nothing while a write waits for the client.
type compressor struct {
	to      io.Writer
	gzip    *gzip.Writer
	out     *bytes.Buffer // what gzip has written
	err     error         // why nothing more is written
	refused bool          // err comes from Resume
}

func (c *compressor) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, ChunkSize) {
		if c.resume(); c.err != nil {
			return n, c.err
		}
		_, _ = c.gzip.Write(piece) // a buffer takes everything
		n += len(piece)
		if c.out.Len() >= ChunkSize {
			c.send()
		}
	}
	return n, c.err
}

// send sends what was gathered.
func (c *compressor) send() {
	_, c.err = c.to.Write(c.out.Bytes())
	c.out.Reset()
}

// end sends the rest. It returns an error if the answer is incomplete although the client may still read.
func (c *compressor) end() error {
	if c.resume(); c.err == nil {
		_ = c.gzip.Close()
		c.send()
	}
	if c.refused {
		return c.err
	}
	return nil // after another error, the client has left
}

// resume waits until more may be compressed.
func (c *compressor) resume() {
	if c.err == nil {
		c.err = resume(c.to)
		c.refused = c.err != nil
	}
}

// Resume implements [Paced] for answers that are encoded before they are compressed.
func (c *compressor) Resume() error { return resume(c.to) }
