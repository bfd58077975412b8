package rest

import (
	"cmp"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// get answers with one object. The answer is the stored bytes if the client wants plain JSON in the stored version.
func (q *request) get() error {
	if _, err := q.timeout(); err != nil { // a read has no time limit, but the API refuses a malformed timeout
		return err
	}
	rep, err := q.negotiateRead(media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.objectName()
	if err != nil {
		return err
	}
	if q.query.Has("export") && route.ParseBool(q.query.Get("export")) {
		return status.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	revision, err := resource.ReadRevision(q.query.Get("resourceVersion"))
	if err != nil {
		return err
	}
	since := q.res.Store.Revision()
	record, err := q.res.Get(q.r.Context(), resource.Target{Namespace: namespace, Name: name, Only: q.only}, revision)
	if err = cmp.Or(err, rep.Mismatch); err != nil {
		return err
	}
	if !rep.IsPlain() || len(record.JSON) <= media.ChunkSize {
		return q.writeObject(http.StatusOK, rep, record.JSON)
	}
	// The store keeps the record in memory at least until its log drops the changes after since.
	expired := func() error {
		cursor, err := q.res.Store.Watch(q.r.Context(), watch.Key{Resource: record.Key.Resource}, since)
		if err != nil {
			return err
		}
		defer cursor.Close()
		return cursor.Err()
	}
	return q.hold(expired, len(record.JSON), func() error { return q.writeObject(http.StatusOK, rep, record.JSON) })
}
