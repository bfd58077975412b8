package rest

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/resource"
)

// writeCall is what every write over HTTP has in common: its options, who is written to, how the answer shall look, and
// how long it may take.
type writeCall struct {
	options         resource.WriteOptions
	rep             representation
	namespace, name string // name is empty for a collection
	ctx             context.Context
	cancel          context.CancelFunc
}

// beginWrite reads what the URL and the headers of a write say; optionsKind names its options in errors. The caller
// calls cancel when it is done.
func (q *request) beginWrite(optionsKind string, ofItem bool) (c writeCall, err error) {
	if ofItem {
		c.namespace, c.name, err = q.object()
	} else {
		c.namespace, err = q.namespace()
	}
	if err != nil {
		return c, err
	}
	if c.rep, err = q.negotiate(oneObject); err != nil {
		return c, err
	}
	if optionsKind == "CreateOptions" {
		if err = q.checkBodyType(); err != nil {
			return c, err
		}
	}
	if c.options, err = q.writeParameters(optionsKind); err != nil {
		return c, err
	}
	c.ctx, c.cancel, err = q.withTimeout()
	return c, err
}
