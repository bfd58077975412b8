package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// errEncoding is the fault of a text that is not UTF-8.
var errEncoding = errors.New("invalid UTF-8 within a string")

// ErrEmpty is returned for input without any value in it. Its text is what upstream answers.
var ErrEmpty = errors.New("unexpected end of JSON input")

// ErrTooDeep is returned for lists and maps nested deeper than [doc.MaxDepth].
var ErrTooDeep = errors.New("exceeded max depth")

// SyntaxError says why a text is no JSON. Its message is the one that encoding/json has for the same text, because that
// is what upstream's clients and tests know; where encoding/json is content (text that is not UTF-8) it is our own.
type SyntaxError struct {
	Offset  int64 // number of bytes read before the fault
	message string
}

func (e *SyntaxError) Error() string { return e.message }

func isEOF(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// explain turns the scanner's error into ours. Reading the text a second time costs only those who send broken text.
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
