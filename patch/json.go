package patch

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// apply decodes an object, changes it and encodes the result.
func apply(object []byte, change func(doc.Value) (doc.Value, error)) ([]byte, error) {
	d, _, err := codec.DecodeJSON(object)
	if err != nil {
		return nil, status.BadRequest(err.Error()).WithCause(err)
	}
	changed, err := change(d)
	if err != nil {
		return nil, err
	}
	return codec.AppendJSON(nil, changed), nil
}
