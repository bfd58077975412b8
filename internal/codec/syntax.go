package codec

import (
	"errors"
	"unicode/utf8"
)

// ErrEmpty means that the input holds no value. kube-apiserver returns the same text.
var ErrEmpty = errors.New("unexpected end of JSON input")

// ErrTooDeep means that lists and maps are nested deeper than [doc.MaxDepth].
var ErrTooDeep = errors.New("exceeded max depth")

// SyntaxError says why a text is not JSON, in the words of encoding/json, which clients and upstream tests know. The
// words depend on the text alone, because encoding/json changes its own from release to release. For text that is not
// UTF-8, which encoding/json accepts, the words are this package's.
type SyntaxError struct {
	Offset   int64 // number of bytes before the fault
	Encoding bool  // the only fault is that the text is not UTF-8
	message  string
}

func (e *SyntaxError) Error() string { return e.message }

// notUTF8 returns the error for a text whose only fault is its encoding.
func notUTF8(data []byte) error {
	fault := &SyntaxError{Encoding: true, message: "invalid UTF-8 within a string"}
	for utf8.FullRune(data[fault.Offset:]) {
		r, size := utf8.DecodeRune(data[fault.Offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		fault.Offset += int64(size)
	}
	return fault
}
