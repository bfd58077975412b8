package media

import (
	"compress/gzip"
	"io"
	"strings"
	"sync"
)

// CompressAbove is from which size on an answer is compressed for a client that accepts it.
const CompressAbove = 128 << 10

var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic("gzip.BestSpeed is a level: " + err.Error())
	}
	return w
}}

// AcceptsGzip reports whether the values of the header Accept-Encoding have the plain token, as upstream does.
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

// Compressed calls write with a writer whose bytes reach w compressed.
func Compressed(w io.Writer, write func(io.Writer) error) error {
	gz := compressors.Get().(*gzip.Writer)
	defer compressors.Put(gz)
	gz.Reset(w)
	if err := write(gz); err != nil {
		return err
	}
	_ = gz.Close() // a client that has gone away is no error of ours
	return nil
}
