package front

import (
	"context"
	"errors"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// handling is a request that the handler of a plug-in's path answers.
type handling struct {
	*request
	memory storage.Loan // the memory that the handler keeps for the answer
}

// handlingKey is the key under which the context of a handler carries its handling.
type handlingKey struct{}

// handlingIn returns the handling to which ctx belongs. ctx may be derived from its context.
func (a *Front) handlingIn(ctx context.Context) (*handling, error) {
	h, ok := ctx.Value(handlingKey{}).(*handling)
	if !ok || h.api != a {
		return nil, status.InternalError(errors.New("the context does not belong to a handler of Parts.Paths of this API"))
	}
	return h, nil
}

// ReadBody reads the body of a request that the handler of a plug-in's path answers.
func (a *Front) ReadBody(r *http.Request) ([]byte, error) {
	h, err := a.handlingIn(r.Context())
	if err != nil {
		return nil, err
	}
	return h.receiveBody()
}

// TakeMemory takes bytes of the memory for answers for the handler of a plug-in's path, or gives them back.
func (a *Front) TakeMemory(ctx context.Context, bytes int64) error {
	h, err := a.handlingIn(ctx)
	if err != nil {
		return err
	}
	if bytes < 0 {
		h.memory.Keep(h.memory.Size() + bytes)
		return nil
	}
	return h.memory.Take(bytes)
}

// Answer answers a request to a plug-in's path with a JSON text.
func (a *Front) Answer(w http.ResponseWriter, r *http.Request, json []byte) {
	h, err := a.handlingIn(r.Context())
	if err != nil {
		a.Error(w, r, err)
		return
	}
	if err := h.writeRaw(http.StatusOK, media.JSON, json, nil); err != nil {
		h.fail(err)
	}
}
