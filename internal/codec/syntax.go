package codec

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// ErrEmpty means that the input holds no value. Upstream answers with the same text.
var ErrEmpty = errors.New("unexpected end of JSON input")

// ErrTooDeep means that lists and maps are nested deeper than [doc.MaxDepth].
var ErrTooDeep = errors.New("exceeded max depth")

// SyntaxError says why a text is not JSON, in the words that clients and tests of upstream know from encoding/json. They
// follow from the text alone, because encoding/json rewords them in new releases. For text that is not UTF-8, which
// encoding/json accepts, the words are our own.
type SyntaxError struct {
	Offset  int64 // number of bytes before the fault
	message string
}

func (e *SyntaxError) Error() string { return e.message }

func isEOF(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// explain says why a text that the scanner has refused is not JSON. It reads the text a second time, which only clients
// that send broken text pay for.
func explain(data []byte) error {
	if len(bytes.Trim(data, jsonSpace)) == 0 {
		return ErrEmpty
	}
	if err := syntaxFault(data); err != nil {
		return err
	}
	return notUTF8(data)
}

// notUTF8 is the error for a text in which only the encoding is wrong.
func notUTF8(data []byte) error {
	fault := &SyntaxError{message: "invalid UTF-8 within a string"}
	for utf8.FullRune(data[fault.Offset:]) {
		r, size := utf8.DecodeRune(data[fault.Offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		fault.Offset += int64(size)
	}
	return fault
}
