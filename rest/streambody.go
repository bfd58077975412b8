package rest

import "io"

// streamBody is the body of an answer that a stream writes.
type streamBody struct {
	*responseOutput
	hurried hurried
}

// openStreamBody begins the answer.
func (q *request) openStreamBody(contentType string) (io.WriteCloser, error) {
	o, err := q.openResponse([]string{contentType}, idleAfter)
	if err != nil {
		return nil, err
	}
	b := &streamBody{responseOutput: o}
	q.api.atEnd.add(&b.hurried, o.hurry)
	return b, nil
}

// Write sends a part of the body at once.
func (b *streamBody) Write(p []byte) (int, error) {
	if err := b.send(p, nil, nil); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close leaves the connection ready for the next request.
func (b *streamBody) Close() error {
	b.hurried.stop()
	b.close()
	return nil
}
