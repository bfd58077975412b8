package media

import (
	"compress/gzip"
	"io"
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

// Compressed calls write with a writer that compresses to w.
func Compressed(w io.Writer, write func(io.Writer) error) error {
	gz := compressors.Get().(*gzip.Writer)
	defer compressors.Put(gz)
	gz.Reset(w)
	if err := write(gz); err != nil {
		return err
	}
	_ = gz.Close() // an error here means that the client has left
	return nil
}
