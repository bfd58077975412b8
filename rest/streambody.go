package rest

import (
	"io"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// streamBody is the body of an answer that a stream writes.
type streamBody struct {
	*responseOutput
	hurried delivery.Hurried
}

// openStreamBody begins the answer.
func (q *request) openStreamBody(contentType string) (io.WriteCloser, error) {
	o, err := q.openResponse([]string{contentType}, idleAfter)
	if err != nil {
		return nil, err
	}
	b := &streamBody{responseOutput: o}
	q.api.ending.Hurry(&b.hurried, o.Hurry)
	return b, nil
}

// Write sends a part of the body at once.
func (b *streamBody) Write(p []byte) (int, error) {
	if err := b.Send(p, nil, nil); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close leaves the connection ready for the next request.
func (b *streamBody) Close() error {
	b.hurried.Stop()
	b.responseOutput.Close()
	return nil
}
