package front

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// getHistory answers GET of the subresource history: with the versions of an object, with the object at a revision, or
// with what differs between two versions. An object at a revision has the kind of the resource.
func (q *request) getHistory() error {
	query := past.Query{Revision: q.query.Get("revision"), From: q.query.Get("from"),
		To: q.query.Get("to")}
	if err := query.Check(); err != nil {
		return err
	}
	lists, answered := query == past.Query{}, q.kind()
	if lists || query.Revision != "" {
		answered = q.res.Media
	}
	rep, err := q.negotiateOf(answered, media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.objectName()
	if err != nil {
		return err
	}
	ctx, cancel, err := q.withTimeout()
	if err != nil {
		return err
	}
	defer cancel()
	at := service.Address{Namespace: namespace, Name: name}
	// A conversion between the versions of the kind may call functions of the host.
	found, err := inTime(ctx, q, func(ctx context.Context) (service.History, error) {
		return q.res.Service.History(q.caller(ctx), at)
	})
	if err != nil {
		return err
	}
	defer found.Close()
	switch {
	case lists && rep.Form == media.AsTable:
		list, err := found.List()
		if err != nil {
			return err
		}
		return q.writeOwn(http.StatusOK, rep, historyTable(list, rep.MetaVersion))
	case lists && rep.Form != media.Whole:
		return status.NotAcceptable(q.api.types.Served)
	}
	answer, err := found.Answer(query)
	switch {
	case err != nil:
		return err
	case query.Revision != "":
		return q.writeObjectOf(answered, http.StatusOK, rep, answer)
	}
	return q.writeJSON(http.StatusOK, rep, answer)
}

// purgeHistory answers DELETE of the subresource history, which erases the former versions.
func (q *request) purgeHistory() error {
	rep, err := q.negotiate(media.OneObject)
	if err != nil {
		return err
	}
	namespace, name, err := q.objectName()
	if err != nil {
		return err
	}
	options, err := q.deleteOptions()
	if err != nil {
		return err
	}
	purge, err := q.res.Service.Begin(q.r.Context(), &service.Wanted{
		Address: service.Address{Namespace: namespace, Name: name, Subresource: q.through.Name}, Verb: kind.Delete,
		Asked: write.Asked{DryRun: len(options.DryRun) > 0},
	})
	if err != nil {
		return err
	}
	if _, err := purge.Do(q.caller(q.r.Context())); err != nil {
		return err
	}
	done := status.Status{TypeMeta: apimeta.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: status.Success,
		Code: http.StatusOK}
	return q.writeOwn(http.StatusOK, rep.OfStatus(), &done)
}

// historyTable shows the versions of an object as a Table. The first row of a deleted object is its deletion.
func historyTable(list *history.ObjectVersionList, metaVersion string) *apimeta.Table {
	out := &apimeta.Table{
		TypeMeta: apimeta.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/" + metaVersion}, ListMeta: list.ListMeta,
		Rows: []apimeta.TableRow{},
		ColumnDefinitions: []apimeta.TableColumnDefinition{
			{Name: "Revision", Type: "string", Format: "name",
				Description: "The last resourceVersion of the object in this version."},
			{Name: "Time", Type: "string", Format: "date-time", Description: "When the version was written."},
			{Name: "User", Type: "string", Description: "Who wrote the version."},
			{Name: "Operation", Type: "string", Description: "How the version was written."},
			{Name: "Changed", Type: "string", Description: "The paths that differ from the version before."},
			{Name: "Manager", Type: "string", Description: "The field manager of the write.", Priority: 1},
		},
	}
	row := func(revision string, by history.Write, changed string) apimeta.TableRow {
		at := ""
		if !by.Time.IsZero() {
			at = by.Time.Format("2006-01-02T15:04:05Z")
		}
		return apimeta.TableRow{
			Cells: []any{revision, at, by.User, string(by.Operation), changed, by.Manager}, Object: json.RawMessage("null"),
		}
	}
	if list.Deleted != nil {
		out.Rows = append(out.Rows, row("", *list.Deleted, ""))
	}
	for _, v := range list.Items {
		out.Rows = append(out.Rows, row(v.ResourceVersion, v.Written, strings.Join(v.Changed, ",")))
	}
	return out
}
