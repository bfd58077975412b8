package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/internal/codec"
)

// applySubresource answers an apply to /scale.
func (q *request) applySubresource(sub *servedSubresource, c writeCall) error {
	config, err := q.readConfiguration(&c.options)
	if err != nil {
		return err
	}
	v, err := q.res.ApplyScale(c.ctx, sub.Subresource, c.namespace, c.name, config, c.options)
	if err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, c.rep, codec.AppendObject(nil, v))
}
