package service

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Local implements [Service] for a resource of this process. Its callers have been admitted: somebody has checked their
// rights, and the shutdown of the API waits for them.
type Local struct {
	Resource *resource.Resource
	// Writes makes the writes of the API.
	Writes *write.Writes
}

// target returns what a call reads or writes.
func (l *Local) target(c Caller, at Address) resource.Target {
	return resource.Target{Namespace: at.Namespace, Name: at.Name, Only: c.Only}
}

// Get implements [Service].
func (l *Local) Get(c Caller, at Address, resourceVersion string) ([]byte, error) {
	atLeast, err := resource.ReadRevision(resourceVersion)
	if err != nil {
		return nil, err
	}
	record, err := l.Resource.Get(c.Context, l.target(c, at), atLeast)
	if err != nil {
		return nil, err
	}
	text, err := record.JSON(c.Context)
	if err != nil || at.Subresource == "" {
		return text, err
	}
	sub := l.Resource.FindSubresource(at.Subresource)
	if sub == nil {
		return nil, status.ResourceNotFound()
	}
	v, err := sub.Show(write.In(c.Context, l.Resource.Environment), text, sub.Get)
	if err != nil {
		return nil, err
	}
	return codec.AppendObject(nil, v), nil
}

// History implements [Service].
func (l *Local) History(c Caller, at Address) (History, error) {
	if l.Resource.History() == nil {
		return nil, status.ResourceNotFound()
	}
	found, err := past.Read(c.Context, l.Resource, l.target(c, at))
	if err != nil {
		return nil, err
	}
	return found, nil
}

// parameters returns what a caller selects.
func (l *Local) parameters(c Caller, selected Selected) (resource.ListParameters, error) {
	p, err := selected.For(l.Resource)
	if err != nil {
		return resource.ListParameters{}, err
	}
	own := *p
	own.Only, own.Resume = c.Only, c.Resume
	return own, nil
}

// List implements [Service].
func (l *Local) List(c Caller, namespace string, selected Selected, into Into) (Page, error) {
	p, err := l.parameters(c, selected)
	if err != nil {
		return Page{}, err
	}
	page, err := l.Resource.List(c.Context, namespace, p, into.Buffer)
	if err == nil && into.See != nil {
		if err = l.Resource.ShowAhead(c.Context, page.Records); err == nil {
			err = l.see(c.Context, &page, into.See)
		}
	}
	return Page{Page: page}, err
}

// see calls see with the records of a page, and takes them out of the page.
func (l *Local) see(ctx context.Context, page *resource.Page, see func([]byte) error) error {
	records := page.Records
	page.Records = nil
	for _, r := range records {
		shown, err := l.Resource.Show(ctx, r)
		if err != nil {
			return err
		}
		text, err := shown.JSON(ctx)
		if err != nil {
			return err
		}
		if err := see(text); err != nil {
			return err
		}
	}
	return nil
}

// Count implements [Service].
func (l *Local) Count(c Caller, namespace string, selected Selected, loan *storage.Loan) (*queries.Counts, error) {
	p, err := l.parameters(c, selected)
	if err != nil {
		return nil, err
	}
	if loan == nil {
		own := l.Resource.Lend(c.Context)
		defer own.Release()
		loan = &own
	}
	counts, err := l.Resource.Count(c.Context, namespace, p, loan)
	if err != nil {
		return nil, err
	}
	return &counts, nil
}

// writing implements [Writing].
type writing struct {
	write.Write
	of     *resource.Resource
	wanted *Wanted
	input  doc.Value // of an action
}

// Begin implements [Service]. All writes begin here, except those that the library makes on its own behalf.
func (l *Local) Begin(ctx context.Context, c *Wanted) (Writing, error) {
	w, err := l.begin(ctx, c)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (l *Local) begin(ctx context.Context, c *Wanted) (*writing, error) {
	t := resource.Target{Namespace: c.Namespace, Name: c.Name}
	if c.Subresource != "" {
		if t.Through = l.Resource.FindSubresource(c.Subresource); t.Through == nil {
			return nil, status.ResourceNotFound()
		}
	}
	w := &writing{Write: *l.Writes.New(l.Resource, t, c.Asked), of: l.Resource, wanted: c}
	w.Warnings = c.Warnings
	switch c.Verb {
	case kind.Patch:
		return w, w.Patch(c.Form, c.Data)
	case Apply:
		return w, w.beginApply()
	case kind.Delete, kind.DeleteCollection:
		return w, nil
	}
	obj := c.Object
	if c.Body != nil {
		var err error
		if obj, err = w.decode(ctx); err != nil {
			return nil, err
		}
		if c.Verb == kind.Update && t.Through != nil && t.Through.KindImplied && objectmeta.NameOf(obj) == "" {
			return nil, write.NameUndeterminable(c.Name)
		}
	}
	switch {
	case w.acts():
		w.input = obj
		return w, nil
	case !obj.IsAbsent():
		w.Replace(obj)
	}
	if c.Change != nil {
		w.Compute(c.Change)
	}
	return w, nil
}

// acts reports whether the write is the action of a subresource.
func (w *writing) acts() bool { return w.wanted.Verb == kind.Create && w.Through != nil }

// beginApply reads the configuration of an apply.
func (w *writing) beginApply() error {
	if w.of.Managed == nil {
		return status.UnsupportedMediaType(w.of.PatchTypes(nil))
	}
	if w.wanted.Object.IsAbsent() {
		return w.ApplyText(w.wanted.Data)
	}
	if cmp.Or(w.Asked.Manager, w.Asked.Agent) == "" {
		return resource.InvalidOptions("PatchOptions", status.FieldErrors{write.ManagerRequired()})
	}
	return w.Apply(w.wanted.Object)
}

// decode decodes the body of a write, and notes duplicate keys in the write.
func (w *writing) decode(ctx context.Context) (obj doc.Value, err error) {
	b, known := w.wanted.Body, false
	f := b.Format
	f.IntoStruct = w.of.Dialect.BodiesAreStructs || w.Kind() != w.of.GVK // the kinds of subresources have Go types in both dialects
	f.Validation = w.Asked.Validation
	if f.Type == media.JSON && !f.IntoStruct {
		obj, known = w.of.DecodeSent(ctx, w.of.Key(w.Namespace, w.Name), b.Data)
	}
	if !known {
		obj, err = f.Decode(b.Data, &w.Body)
	}
	var beyond *codec.RangeError
	switch {
	case errors.As(err, &beyond):
		return doc.Value{}, write.Undecodable(w.Kind(), beyond)
	case err != nil:
		return doc.Value{}, write.Unrecognized(w.Kind().Kind, err, b.Data)
	}
	if b.Decoded != nil {
		b.Decoded(obj)
	}
	return w.CheckKind(obj, b.Data, f.JSON(obj, b.Data))
}

// Do implements [Writing].
func (w *writing) Do(c Caller) (done write.Result, err error) {
	w.Only, w.MayCreate = c.Only, c.MayCreate
	switch {
	case w.acts() && w.Through.Undo:
		done.JSON, err = w.Undo(c.Context, w.input)
		return done, err
	case w.acts():
		answer, err := w.Call(c.Context, w.input)
		if err == nil && !answer.IsAbsent() {
			done.JSON = codec.AppendObject(nil, answer)
		}
		return done, err
	case w.wanted.Verb == kind.Create:
		return w.Create(c.Context)
	case w.wanted.Verb == kind.Delete && w.Through != nil:
		return done, past.Purge(c.Context, w.of, w.Target, w.Asked.DryRun)
	case w.wanted.Verb == kind.Delete:
		return w.Delete(c.Context, w.wanted.Deletion)
	}
	return w.Update(c.Context)
}

// DeleteCollection implements [Service].
func (l *Local) DeleteCollection(c Caller, w *Wanted, selected Selected, into Into) (Page, error) {
	p, err := l.parameters(c, selected)
	if err != nil {
		return Page{}, err
	}
	collection := write.Collection{
		Resource: l.Resource, Namespace: w.Namespace, Selected: p, Asked: w.Asked, Warnings: w.Warnings,
	}
	deleted, err := l.Writes.DeleteAll(c.Context, collection, w.Deletion)
	if err == nil && into.See != nil {
		err = l.see(c.Context, &deleted, into.See)
	}
	return Page{Page: deleted}, err
}

// Beginning implements [Service].
func (l *Local) Beginning(c Caller, namespace string, selected Selected) (follow.Beginning, error) {
	p, err := l.parameters(c, selected)
	if err != nil {
		return follow.Beginning{}, err
	}
	return follow.BeginningOf(c.Context, l.Resource, namespace, p)
}

// Watch implements [Service]. A watch that recovers asks for rights again, so [Calls] carries it out.
func (l *Local) Watch(c Caller, f Following, see func(Event) error) error {
	b, err := l.Beginning(c, f.Namespace, f.Selected)
	if err != nil {
		return err
	}
	return follow.Watch(c.Context, l.Resource, b, func(e follow.Event) error {
		event, err := eventOf(c.Context, l.Resource, e)
		if err != nil {
			return err
		}
		return see(event)
	})
}

// eventOf converts an event to the version of a resource. A deleted object gets the resourceVersion of its deletion, as
// in a watch over HTTP.
func eventOf(ctx context.Context, res *resource.Resource, e follow.Event) (Event, error) {
	r, err := res.Show(ctx, e.Object)
	if err != nil {
		return Event{}, err
	}
	event := Event{Type: e.Type, ResourceVersion: text(e.Revision)}
	if e.Type == apimeta.EventDeleted {
		event.JSON, err = r.AppendAt(ctx, nil, e.Revision)
	} else {
		event.Written = e.Object.Written.Time()
		event.JSON, err = r.JSON(ctx)
	}
	return event, err
}

func text(revision watch.Revision) string { return strconv.FormatUint(uint64(revision), 10) }
