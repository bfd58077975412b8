package write

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// Undo gives the object the content of a former version, or creates a deleted object again. It is an update or a create
// like any other: it takes all steps, and the client's field manager owns what it changes. The body is an UndoRequest,
// and the answer is the JSON of the object.
func (w *Write) Undo(ctx context.Context, body doc.Value) ([]byte, error) {
	body, err := w.checkAction(ctx, body)
	if err != nil {
		return nil, err
	}
	var asked history.UndoRequest
	if err := codec.ToGo(body, &asked); err != nil {
		return nil, err
	}
	target := resource.Target{Namespace: w.Namespace, Name: w.Name, Only: w.Only}
	kept, err := past.Read(ctx, w.res, target)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	former, err := kept.Version(asked.Revision)
	if err != nil {
		return nil, err
	}
	u := w.writes.New(w.res, target, w.Asked)
	u.Warnings, u.undoes = w.Warnings, true
	var out Result
	if kept.Exists {
		u.Compute(func(old doc.Value) (doc.Value, error) {
			if err := checkUndo(w.res, asked.Preconditions, objectmeta.Of(old)); err != nil {
				return doc.Value{}, err
			}
			return past.WithContentOf(w.res, old, former), nil
		})
		out, err = u.Update(ctx)
	} else {
		gone := doc.MapOf(doc.Member{Key: objectmeta.UID, Value: doc.Of(kept.UID)})
		if err := checkUndo(w.res, asked.Preconditions, gone); err != nil {
			return nil, err
		}
		u.Replace(past.Anew(w.res, former))
		out, err = u.Create(ctx)
	}
	return out.JSON, err
}

// checkUndo refuses an undo whose preconditions name another uid or resourceVersion than the metadata of the object.
func checkUndo(res *resource.Resource, p *apimeta.Preconditions, m doc.Value) error {
	if p == nil {
		return nil
	}
	for _, c := range []struct {
		field, text string
		want        *string
	}{{objectmeta.UID, "UID", p.UID}, {objectmeta.ResourceVersion, "ResourceVersion", p.ResourceVersion}} {
		if have := m.Get(c.field).Text(); c.want != nil && *c.want != have {
			return res.Strategy.Precondition(res, m.Get(objectmeta.Name).Text(), c.text, *c.want, have)
		}
	}
	return nil
}
