package codec

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader reads one JSON text from a stream, and holds one value of it at a time. It accepts what [Unmarshal] accepts.
type Reader struct{ text *jsontext.Decoder }

// NewReader returns a Reader of a stream.
func NewReader(from io.Reader) *Reader {
	return &Reader{jsontext.NewDecoder(from, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// Members calls member with the name of each member of an object. member must read the value with one call of the
// Reader. null counts as an object without members, and another value is an error.
func (r *Reader) Members(member func(name string) error) error {
	if r.text.PeekKind() != '{' {
		return r.Value(&struct{}{})
	}
	if err := r.token(); err != nil {
		return err
	}
	for r.text.PeekKind() != '}' {
		name, err := r.text.ReadToken()
		if err != nil {
			return unexpected(err)
		}
		if err := member(name.String()); err != nil {
			return err
		}
	}
	return r.token()
}

// Elements calls element with the text of each element of an array. element must not keep the text. Elements returns
// false for null. Another value is an error.
func (r *Reader) Elements(element func(text []byte) error) (present bool, err error) {
	if r.text.PeekKind() != '[' {
		return false, r.Value(new([]struct{}))
	}
	if err := r.token(); err != nil {
		return true, err
	}
	for r.text.PeekKind() != ']' {
		text, err := r.text.ReadValue()
		if err != nil {
			return true, unexpected(err)
		}
		if err := element(text); err != nil {
			return true, err
		}
	}
	return true, r.token()
}

// Value reads a value into a Go value, as Unmarshal does.
func (r *Reader) Value(into any) error {
	text, err := r.text.ReadValue()
	if err != nil {
		return unexpected(err)
	}
	return Unmarshal(text, into)
}

// Skip reads a value and drops it.
func (r *Reader) Skip() error { return unexpected(r.text.SkipValue()) }

// End returns an error unless the stream ends after the values that were read.
func (r *Reader) End() error {
	_, err := r.text.ReadToken()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("something follows it")
	}
	return err
}

// token reads a token without a value, such as a bracket.
func (r *Reader) token() error {
	_, err := r.text.ReadToken()
	return unexpected(err)
}

// unexpected returns the error of a stream that ends too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
