package front

import (
	"cmp"
	"net/http"

	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/service"
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
	since := q.res.Store.Revision()
	at := service.Address{Namespace: namespace, Name: name}
	object, err := q.res.Service.Get(q.caller(q.r.Context()), at, q.query.Get("resourceVersion"))
	if err = cmp.Or(err, rep.Mismatch); err != nil {
		return err
	}
	if len(object) <= media.ChunkSize {
		return q.writeObject(http.StatusOK, rep, object)
	}
	if q.res.FromStored != nil { // the cache may give up the converted object while the client reads
		loan := q.lend()
		if err := loan.Take(int64(len(object))); err != nil {
			return err
		}
		defer loan.Release()
	}
	if !rep.IsPlain() || rep.Form != media.Whole || q.res.FromStored != nil {
		return q.writeObject(http.StatusOK, rep, object)
	}
	// The store keeps the object in memory at least until its log drops the changes after since.
	expired := func() error {
		cursor, err := q.res.Store.Watch(q.r.Context(), watch.Key{Resource: q.res.StoredName()}, since)
		if err != nil {
			return err
		}
		defer cursor.Close()
		return cursor.Err()
	}
	return q.hold(expired, len(object), func() error { return q.writeObject(http.StatusOK, rep, object) })
}
