package rest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// readBody reads the body of a request, up to MaxBodyBytes.
func (q *request) readBody() ([]byte, error) {
	limit := q.api.options.MaxBodyBytes
	tooLarge := status.RequestEntityTooLarge(fmt.Sprintf("limit is %d", limit))
	if q.r.ContentLength > limit {
		return nil, tooLarge
	}
	if q.r.Body == nil { // never from a server, but a transport in process may leave the body nil
		return nil, nil
	}
	data, err := readAll(http.MaxBytesReader(q.w, q.r.Body, limit), q.r.ContentLength)
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge
	case err != nil:
		return nil, status.BadRequest("the body cannot be read to its end").WithCause(err)
	}
	return data, nil
}

// maxTrustedLength is the largest buffer that readAll allocates at once because of a Content-Length. A client can promise a large
// body and send nothing, so a larger buffer grows only with what arrives.
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

// contentType returns the media type of the body. A body without a Content-Type is JSON.
func (q *request) contentType() string {
	header := q.r.Header.Get("Content-Type")
	if header == "" || header == media.JSON {
		return media.JSON
	}
	is, _, err := mime.ParseMediaType(header)
	if err != nil {
		return header
	}
	return is
}

// checkBodyType refuses a body whose media type the API does not read for this kind.
func (q *request) checkBodyType() error {
	is := q.contentType()
	if !slices.Contains(q.api.types.Served, is) || is == media.Protobuf && q.kind.Message == nil {
		return status.UnsupportedMediaType(q.api.types.Served)
	}
	return nil
}

// decodeBody reads the body of a write, and notes duplicate keys in w.
func (q *request) decodeBody(w *resource.Write) (doc.Value, error) {
	if err := q.checkBodyType(); err != nil {
		return doc.Value{}, err
	}
	data, err := q.readBody()
	if err != nil {
		return doc.Value{}, err
	}
	w.Body.Size = len(data)
	intoStruct := q.res.Dialect.BodiesAreStructs || w.Kind() != q.res.GVK // the kinds of subresources have Go types in both dialects
	obj, err := q.decodeDocument(q.kind.Message, intoStruct, data, w)
	var beyond *codec.RangeError
	switch {
	case errors.As(err, &beyond):
		return doc.Value{}, resource.Undecodable(w.Kind(), beyond)
	case err != nil:
		return doc.Value{}, resource.Unrecognized(w.Kind().Kind, err, data)
	}
	return w.CheckKind(obj, data, q.bodyAsJSON(obj, data))
}

// bodyAsJSON returns a function that returns the JSON of a body, for messages that quote it. It encodes obj, the decoded body,
// only when it is called and only if the body came in another format.
func (q *request) bodyAsJSON(obj doc.Value, data []byte) func() []byte {
	if q.contentType() == media.JSON {
		return func() []byte { return data }
	}
	return resource.JSONOf(obj)
}

// decodeDocument decodes a body by its media type. intoStruct chooses how JSON is read: as Go decodes into a struct, or without a
// schema. The two differ in duplicate keys and numbers.
func (q *request) decodeDocument(message media.Message, intoStruct bool, data []byte, w *resource.Write) (doc.Value, error) {
	contentType, o := q.contentType(), &w.Body
	switch contentType {
	case media.Protobuf:
		var check func([]byte) error
		if q.res.Schema.ReadsNumbers() { // the Go type reads some numbers from text
			check = checkNumbers
		}
		return media.DecodeProtobuf(message, data, check)
	case media.CBOR:
		text, err := q.api.options.CBOR.ToJSON(data)
		if err != nil {
			return doc.Value{}, err
		}
		data = text
	}
	if contentType == media.YAML {
		obj, lines, err := codec.DecodeYAML(data, w.Asked.Validation != resource.ValidationIgnore)
		if o.Problems = lines; len(lines) > 0 && w.Asked.Validation == resource.ValidationStrict {
			o.Problems = []string{codec.DuplicateLines(lines)}
		}
		return obj, err
	}
	decode := codec.DecodeUntyped
	if intoStruct {
		decode, o.Text = codec.DecodeStruct, data
	}
	obj, duplicates, err := decode(data)
	if err != nil {
		return doc.Value{}, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	for _, path := range duplicates {
		o.Problems = append(o.Problems, resource.DuplicateField(path))
	}
	return obj, nil
}

// checkNumbers refuses a Protobuf message with a number whose digits never end.
func checkNumbers(message []byte) error {
	if text, found := codec.EndlessNumber(message); found {
		return resource.EndlessNumber(text)
	}
	return nil
}
