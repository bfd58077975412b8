package rest

import (
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// applies reports whether the request applies a configuration, rather than patching what there is.
func (q *request) applies() bool {
	media := q.contentType()
	return q.r.Method == http.MethodPatch && (media == kind.ApplyPatch || media == mediaApplyCBOR)
}

// applyPart answers an apply to an object, or to its status.
func (q *request) applyPart(which resource.Part, c writeCall) error {
	config, err := q.readConfiguration(&c.options)
	if err != nil {
		return err
	}
	done, err := q.res.Apply(c.ctx, c.namespace, c.name, which, config, c.options)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if done.Created {
		code = http.StatusCreated
	}
	return q.writeObject(code, c.rep, done.JSON)
}

// readConfiguration reads the body, which is YAML, JSON or CBOR.
func (q *request) readConfiguration(o *resource.WriteOptions) (resource.Configuration, error) {
	data, err := q.readBody()
	if err != nil {
		return resource.Configuration{}, err
	}
	if q.contentType() == mediaApplyCBOR {
		if data, err = q.api.options.CBOR.ToJSON(data); err != nil {
			return resource.Configuration{}, status.BadRequest("error decoding CBOR: " + err.Error())
		}
	}
	return resource.ParseConfiguration(data, o)
}
