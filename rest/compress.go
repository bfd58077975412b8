package rest

import (
	"compress/gzip"
	"io"
	"strings"
	"sync"
)

// compressAbove is from which size on an answer is compressed for a client that accepts it.
const compressAbove = 128 << 10

var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic("gzip.BestSpeed is a level: " + err.Error())
	}
	return w
}}

// compresses reports whether an answer of this size goes out compressed, and says so in its headers.
func (q *request) compresses(size int) bool {
	if size <= compressAbove || !acceptsGzip(q.r.Header["Accept-Encoding"]) {
		return false
	}
	h := q.w.Header()
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	return true
}

// acceptsGzip looks for the plain token, as upstream does.
func acceptsGzip(header []string) bool {
	for _, line := range header {
		for token := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(token) == "gzip" {
				return true
			}
		}
	}
	return false
}

// compressed calls write with a writer whose bytes reach w compressed.
func compressed(w io.Writer, write func(io.Writer) error) error {
	gz := compressors.Get().(*gzip.Writer)
	defer compressors.Put(gz)
	gz.Reset(w)
	if err := write(gz); err != nil {
		return err
	}
	_ = gz.Close() // a client that has gone away is no error of ours
	return nil
}
