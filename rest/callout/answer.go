package callout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
)

var errNotHTTP = fmt.Errorf("the server did not answer in HTTP, or its header is larger than %d bytes", maxHeader)

// withoutQuotes returns the error of a connection. It replaces every error whose text may quote what the server has
// sent, as package net/http does with a malformed header.
func withoutQuotes(err error) error {
	var network *net.OpError
	if errors.As(err, &network) ||
		slices.ContainsFunc([]error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed},
			func(known error) bool { return errors.Is(err, known) }) {
		return err
	}
	return errNotHTTP
}

const (
	mediaType = "application/json" // the media type of reviews
	// usualAnswer is the largest size in bytes that a server can make the client allocate by its Content-Length alone.
	usualAnswer = 16 << 10
)

var errNotJSON = errors.New("the answer is not JSON of the expected form")

// read stores the JSON of an answer in response.
func read(answer *http.Response, limit int64, response any) error {
	code := answer.StatusCode
	switch {
	case code >= 300 && code < 400:
		return fmt.Errorf("%w: redirects are not followed", &CodeError{code})
	case code < 200 || code > http.StatusPartialContent:
		return &CodeError{code}
	}
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return errors.New("the answer is compressed, which the request did not permit")
	}
	if contentType := answer.Header.Get("Content-Type"); contentType != "" && contentType != mediaType {
		if _, _, err := mime.ParseMediaType(contentType); err != nil {
			return errors.New("the answer has an invalid Content-Type")
		}
	}
	if answer.ContentLength > limit {
		return tooLarge(limit)
	}
	var body bytes.Buffer
	if announced := answer.ContentLength; announced > 0 && announced <= usualAnswer {
		body.Grow(int(announced) + bytes.MinRead) // without MinRead, ReadFrom would grow it once more to see the end
	}
	_, err := body.ReadFrom(io.LimitReader(answer.Body, limit+1))
	switch {
	case err != nil:
		return fmt.Errorf("reading the answer: %w", withoutQuotes(err))
	case int64(body.Len()) > limit:
		return tooLarge(limit)
	case codec.Unmarshal(body.Bytes(), response) != nil:
		// The error of the decoder quotes the answer.
		return errNotJSON
	}
	return nil
}

// CodeError says that a server has answered with a code that means no success.
type CodeError struct{ Code int }

// Error returns the code and its standard text.
func (e *CodeError) Error() string {
	return strings.TrimSpace(fmt.Sprint("the server answered ", e.Code, " ", http.StatusText(e.Code)))
}

func tooLarge(limit int64) error {
	return fmt.Errorf("the answer is larger than %d bytes", limit)
}
