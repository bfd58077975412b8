package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// errEncoding is the error for a text that is not UTF-8.
var errEncoding = errors.New("invalid UTF-8 within a string")

// ErrEmpty means that the input holds no value. Upstream answers with the same text.
var ErrEmpty = errors.New("unexpected end of JSON input")

// ErrTooDeep means that lists and maps are nested deeper than [doc.MaxDepth].
var ErrTooDeep = errors.New("exceeded max depth")

// SyntaxError says why a text is not JSON. Its message is that of encoding/json for the same text, because upstream's
// clients and tests know it. For text that is not UTF-8, which encoding/json accepts, the message is our own.
type SyntaxError struct {
	Offset  int64 // number of bytes before the fault
	message string
}

func (e *SyntaxError) Error() string { return e.message }

func isEOF(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// explain turns the scanner's error into ours. It reads the text a second time, which only clients that send broken
// text pay for.
func explain(data []byte, cause error) error {
	if len(bytes.Trim(data, " \t\r\n")) == 0 {
		return ErrEmpty
	}
	var known *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &known) {
		if strings.HasSuffix(known.Error(), ErrTooDeep.Error()) {
			return ErrTooDeep
		}
		return &SyntaxError{Offset: known.Offset, message: known.Error()}
	}
	fault := &SyntaxError{message: cause.Error()}
	for utf8.FullRune(data[fault.Offset:]) {
		r, size := utf8.DecodeRune(data[fault.Offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		fault.Offset += int64(size)
	}
	return fault
}
