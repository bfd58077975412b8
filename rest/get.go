package rest

import (
	"cmp"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// get answers with one object. The answer is the stored bytes if the client wants plain JSON in the stored version.
func (q *request) get() error {
	if _, err := q.timeout(); err != nil {
		return err
	}
	rep, err := q.negotiateRead(media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.object()
	if err != nil {
		return err
	}
	if q.parameters().Has("export") && resource.ParseBool(q.parameters().Get("export")) {
		return status.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	revision, err := resource.ReadRevision(q.parameters().Get("resourceVersion"))
	if err != nil {
		return err
	}
	record, err := q.res.Get(q.r.Context(), namespace, name, revision)
	if err = cmp.Or(err, rep.Mismatch); err != nil {
		return err
	}
	return q.writeObject(http.StatusOK, rep, record.JSON)
}
