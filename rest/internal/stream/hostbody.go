package stream

import (
	"io"

	"github.com/decorum-go/decorum/rest/internal/delivery"
)

// hostBody is a Body that a host writes.
type hostBody struct {
	body    *Body
	hurried delivery.Hurried
}

// ForHost begins the answer and returns the body as what a host writes to. Close must be called: until then the end of
// the API hurries the client.
func (b *Body) ForHost() io.WriteCloser {
	b.Begin()
	h := &hostBody{body: b}
	b.ending.Hurry(&h.hurried, b.Hurry)
	return h
}

// Write sends a part of the body at once.
func (h *hostBody) Write(p []byte) (int, error) {
	if err := h.body.Send(p, nil, nil); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (h *hostBody) Close() error {
	h.hurried.Stop()
	h.body.Close()
	return nil
}
