// Package body reads the bodies of requests and decodes them by their media types.
package body

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// Read reads the body of a request, up to limit bytes. It calls grown with the number of bytes so far, and ends with
// the error of grown.
func Read(w http.ResponseWriter, r *http.Request, limit int64, grown func(bytes int64) error) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if r.Body == nil { // never from a server, but a transport in process may leave the body nil
		return nil, nil
	}
	data, err := readAll(&counted{http.MaxBytesReader(w, r.Body, limit), 0, grown}, r.ContentLength)
	var over *http.MaxBytesError
	var refused *status.Error
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case errors.As(err, &over):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, status.BadRequest("the body cannot be read to its end").WithCause(err)
	}
	return data, nil
}

func tooLarge(limit int64) error {
	return status.RequestEntityTooLarge(fmt.Sprintf("limit is %d", limit))
}

// counted is a body whose bytes are counted as they are read.
type counted struct {
	io.Reader
	bytes int64
	grown func(bytes int64) error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	if refused := c.grown(c.bytes); refused != nil {
		return n, refused
	}
	return n, err
}

// maxTrustedLength is the largest buffer that readAll allocates at once because of a Content-Length. A client can
// promise a large body and send nothing, so a larger buffer grows only with what arrives.
const maxTrustedLength = 64 << 10

// readAll reads a body whose sender has promised this length, or -1 if it has not said.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length <= 0 {
		return io.ReadAll(body)
	}
	if length <= maxTrustedLength {
		data := make([]byte, length)
		_, err := io.ReadFull(body, data)
		return data, err
	}
	data, err := io.ReadAll(body)
	if err == nil && int64(len(data)) < length {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// Type returns the media type of the body. A body without a Content-Type is JSON.
func Type(r *http.Request) string {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return media.JSON
	}
	if !strings.Contains(header, ";") { // a media type without parameters needs no parser
		return strings.ToLower(strings.TrimSpace(header))
	}
	is, _, err := mime.ParseMediaType(header)
	if err != nil {
		return header
	}
	return is
}

// Format says how to decode a body.
type Format struct {
	// Type is the media type.
	Type string
	// Message is what a body in Protobuf contains.
	Message media.Message
	// NumbersAsText reports that the Go type reads some numbers of a message from text.
	NumbersAsText bool
	// CBOR translates a body in CBOR.
	CBOR interface {
		ToJSON(cbor []byte) ([]byte, error)
	}
	// IntoStruct reads JSON as Go decodes it into a struct. Otherwise JSON is read without a schema. The two differ in
	// duplicate keys and numbers.
	IntoStruct bool
	// Validation is how the client wants duplicate keys to be handled.
	Validation apimeta.FieldValidation
}

// Decode decodes a body, and notes duplicate keys in sent.
func (f Format) Decode(data []byte, sent *write.Body) (doc.Value, error) {
	switch f.Type {
	case media.Protobuf:
		var check func([]byte) error
		if f.NumbersAsText {
			check = checkNumbers
		}
		return media.DecodeProtobuf(f.Message, data, check)
	case media.YAML:
		obj, lines, err := codec.DecodeYAML(data, f.Validation != apimeta.FieldValidationIgnore)
		if sent.Problems = lines; len(lines) > 0 && f.Validation == apimeta.FieldValidationStrict {
			sent.Problems = []string{codec.DuplicateLines(lines)}
		}
		return obj, err
	case media.CBOR:
		text, err := f.CBOR.ToJSON(data)
		if err != nil {
			return doc.Value{}, err
		}
		data = text
	}
	decode := codec.DecodeUntyped
	if f.IntoStruct {
		decode, sent.Text = codec.DecodeStruct, data
	}
	obj, duplicates, err := decode(data)
	if err != nil {
		return doc.Value{}, write.NotParsed(err)
	}
	for _, path := range duplicates {
		sent.Problems = append(sent.Problems, write.DuplicateField(path))
	}
	return obj, nil
}

// JSON returns a function that returns the JSON of a body, for messages that quote it. It encodes obj, the decoded
// body, only when it is called and only if the body came in another format.
func (f Format) JSON(obj doc.Value, data []byte) func() []byte {
	if f.Type == media.JSON {
		return func() []byte { return data }
	}
	return write.JSONOf(obj)
}

// checkNumbers refuses a Protobuf message with a number whose digits never end.
func checkNumbers(message []byte) error {
	if text, found := codec.EndlessNumber(message); found {
		return write.EndlessNumber(text)
	}
	return nil
}
