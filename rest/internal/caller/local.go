package caller

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/history"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Local implements [Caller] for an API in the same process, without HTTP. The API provides the functions.
type Local struct {
	// Resource is what the API served when the client was made. A call uses the resource that the API serves in its place
	// now.
	Resource *resource.Resource
	// Writes makes the writes of the API.
	Writes *write.Writes
	// Enter registers a call on the resource, so that the shutdown of the API waits for it, and so does the store before
	// it stops serving the resource. Leave ends the call.
	Enter func(*resource.Resource) error
	Leave func(*resource.Resource)
	// Calling returns the context of a call. It carries the user and the question, for hooks.
	Calling func(context.Context, access.Access) context.Context
	// Permit returns an error unless the caller may do what the question asks, and the restriction under which it may. Nil
	// permits everything.
	Permit func(context.Context, *resource.Resource, access.Access) (*rights.Restriction, error)
	// PermitWatch is Permit for a watch.
	PermitWatch func(context.Context, *resource.Resource, access.Access) (*rights.Permission, error)
}

// now returns the caller of the resource that the API serves now: l itself unless the resource was replaced. If the API
// has given up the resource, the error is the one that a request over HTTP gets, ResourceNotFound.
func (l *Local) now(ctx context.Context) (*Local, error) {
	served, err := l.Resource.Current(ctx)
	if err != nil || served == l.Resource {
		return l, err
	}
	next := *l
	next.Resource = served
	return &next, nil
}

// Get implements [Caller].
func (l *Local) Get(ctx context.Context, at Address, resourceVersion string) ([]byte, error) {
	if err := at.CheckName(); err != nil {
		return nil, err
	}
	l, err := l.now(ctx)
	if err != nil {
		return nil, err
	}
	atLeast := storage.MostRecent
	if resourceVersion != "" {
		if atLeast, err = resource.ReadRevision(resourceVersion); err != nil {
			return nil, err
		}
	}
	if err := l.Enter(l.Resource); err != nil {
		return nil, err
	}
	defer l.Leave(l.Resource)
	t := resource.Target{Namespace: at.Namespace, Name: at.Name}
	if ctx, t.Only, err = l.calling(ctx, at.Question(l.Resource, kind.Get)); err != nil {
		return nil, err
	}
	record, err := l.Resource.Get(ctx, t, atLeast)
	if err != nil {
		return nil, err
	}
	if at.Subresource == "" {
		return record.JSON, nil
	}
	sub := l.Resource.FindSubresource(at.Subresource)
	if sub == nil {
		return nil, status.ResourceNotFound()
	}
	v, err := sub.Show(write.In(ctx, l.Resource.Environment), record.JSON, sub.Get)
	if err != nil {
		return nil, err
	}
	return codec.AppendObject(nil, v), nil
}

// History implements [Caller].
func (l *Local) History(ctx context.Context, at Address, query history.Query) ([]byte, error) {
	if err := at.CheckName(); err != nil {
		return nil, err
	}
	if err := query.Check(); err != nil {
		return nil, err
	}
	l, err := l.now(ctx)
	if err != nil {
		return nil, err
	}
	if l.Resource.History() == nil {
		return nil, status.ResourceNotFound()
	}
	if err := l.Enter(l.Resource); err != nil {
		return nil, err
	}
	defer l.Leave(l.Resource)
	t := resource.Target{Namespace: at.Namespace, Name: at.Name}
	if ctx, t.Only, err = l.calling(ctx, at.Question(l.Resource, kind.Get)); err != nil {
		return nil, err
	}
	past, err := history.Read(ctx, l.Resource, t)
	if err != nil {
		return nil, err
	}
	defer past.Close()
	return past.Answer(query)
}

// calling returns the context of a call and the restriction under which the caller may make it, or an error if it may
// not.
func (l *Local) calling(ctx context.Context, q access.Access) (context.Context, *rights.Restriction, error) {
	ctx = l.Calling(ctx, q)
	if l.Permit == nil {
		return ctx, nil, nil
	}
	only, err := l.Permit(ctx, l.Resource, q)
	return ctx, only, err
}

// watching is calling for a watch.
func (l *Local) watching(ctx context.Context, q access.Access) (*rights.Permission, error) {
	ctx = l.Calling(ctx, q)
	if l.PermitWatch == nil {
		return &rights.Permission{Context: ctx, Release: func() {}}, nil
	}
	return l.PermitWatch(ctx, l.Resource, q)
}

// CheckName returns a BadRequest error if the address has no name.
func (a Address) CheckName() error {
	if a.Name == "" {
		return status.BadRequest("the name of the object must not be empty")
	}
	return nil
}

// Question returns the [access.Access] of a request over HTTP that would do the same as the call.
func (a Address) Question(res *resource.Resource, verb string) access.Access {
	if verb == Apply {
		verb = kind.Patch
	}
	q := access.Access{Verb: access.Verb(verb), Group: res.GVK.Group, Version: res.GVK.Version, Resource: res.GR.Resource,
		Namespace: a.Namespace, Name: a.Name, Subresource: a.Subresource}
	if q.Resource == "namespaces" {
		q.Namespace = a.Name
	}
	return q
}

// List implements [Caller].
func (l *Local) List(ctx context.Context, namespace string, options ListOptions) (page *Page, err error) {
	err = l.selected(ctx, namespace, options, func(ctx context.Context, l *Local, p resource.ListParameters) error {
		found, err := l.Resource.List(ctx, namespace, p, nil)
		if err == nil {
			err = l.Resource.ShowAhead(ctx, found.Records)
		}
		if err == nil {
			page, err = l.page(found)
		}
		return err
	})
	return page, err
}

// Count implements [Caller].
func (l *Local) Count(ctx context.Context, namespace string, options ListOptions) (counts []byte, err error) {
	err = l.selected(ctx, namespace, options, func(ctx context.Context, l *Local, p resource.ListParameters) error {
		loan := l.Resource.Answers.Lend()
		defer loan.Release()
		found, err := l.Resource.Count(ctx, namespace, p, &loan)
		if err == nil {
			counts, err = codec.EncodeOwn(&found)
		}
		return err
	})
	return counts, err
}

// selected calls f, as a request in flight of the present resource, with the parameters of a list.
func (l *Local) selected(ctx context.Context, namespace string, options ListOptions,
	f func(context.Context, *Local, resource.ListParameters) error) error {
	l, err := l.now(ctx)
	if err != nil {
		return err
	}
	p, err := options.read(l.Resource)
	if err != nil {
		return err
	}
	if err := l.Enter(l.Resource); err != nil {
		return err
	}
	defer l.Leave(l.Resource)
	if ctx, p.Only, err = l.calling(ctx, l.many(kind.List, namespace, options)); err != nil {
		return err
	}
	return f(ctx, l, p)
}

// read parses the options for a resource.
func (o ListOptions) read(of *resource.Resource) (p resource.ListParameters, err error) {
	if err = p.Read(o.ListOptions, of); err == nil {
		err = p.ReadQuery(o.Query, of)
	}
	return p, err
}

// many returns the question of a call about many objects.
func (l *Local) many(verb, namespace string, options ListOptions) access.Access {
	q := Address{Namespace: namespace}.Question(l.Resource, verb)
	q.LabelSelector, q.FieldSelector = options.LabelSelector, options.FieldSelector
	if verb != kind.DeleteCollection {
		q.Name = route.SelectedName(options.FieldSelector)
	}
	return q
}

// page converts the records of a list to the version of the client.
func (l *Local) page(found resource.Page) (*Page, error) {
	out := &Page{Items: make([][]byte, len(found.Records)), ResourceVersion: text(found.Revision), Continue: found.Token}
	for i, r := range found.Records {
		shown, err := l.Resource.Show(r)
		if err != nil {
			return nil, err
		}
		out.Items[i] = shown.JSON
	}
	return out, nil
}

func text(revision watch.Revision) string { return strconv.FormatUint(uint64(revision), 10) }

// Write implements [Caller]. All writes of typed clients go through it.
func (l *Local) Write(ctx context.Context, c *Write) ([]byte, error) {
	l, err := l.now(ctx)
	if err != nil {
		return nil, err
	}
	w, err := l.begin(c)
	if err != nil {
		return nil, err
	}
	if err := l.Enter(l.Resource); err != nil {
		return nil, err
	}
	defer l.Leave(l.Resource)
	defer l.tell(c, w)
	question := c.Question(l.Resource, c.Verb)
	if ctx, w.Only, err = l.calling(ctx, question); err != nil {
		return nil, err
	}
	if question.Verb = kind.Create; l.Permit != nil {
		w.MayCreate = func(ctx context.Context) (*rights.Restriction, error) { return l.Permit(ctx, l.Resource, question) }
	}
	var done write.Result
	switch {
	case c.Verb == kind.Create && w.Through != nil:
		return l.call(ctx, w, c)
	case c.Verb == kind.Create:
		done, err = w.Create(ctx)
	case c.Verb == kind.Delete && w.Through != nil:
		err = history.Purge(ctx, l.Resource, w.Target, c.Asked.DryRun)
	case c.Verb == kind.Delete:
		_, err = w.Delete(ctx, c.Deletion)
	default:
		done, err = w.Update(ctx)
	}
	if err != nil {
		return nil, err
	}
	return done.JSON, nil
}

// begin translates c for package resource.
func (l *Local) begin(c *Write) (*write.Write, error) {
	if c.Verb != kind.DeleteCollection && (c.Verb != kind.Create || c.Subresource != "") {
		if err := c.CheckName(); err != nil {
			return nil, err
		}
	}
	t := resource.Target{Namespace: c.Namespace, Name: c.Name}
	if c.Subresource != "" {
		if t.Through = l.Resource.FindSubresource(c.Subresource); t.Through == nil {
			return nil, status.ResourceNotFound()
		}
	}
	w := l.Writes.New(l.Resource, t, c.Asked)
	if c.Tell != nil {
		w.Warnings = &write.Warnings{}
	}
	switch c.Verb {
	case kind.Patch:
		return w, w.Patch(c.Form, c.Data)
	case Apply:
		if l.Resource.Managed == nil {
			return nil, status.UnsupportedMediaType(l.Resource.PatchTypes(nil))
		}
		if cmp.Or(w.Asked.Manager, w.Asked.Agent) == "" {
			return nil, resource.InvalidOptions("PatchOptions", status.FieldErrors{write.ManagerRequired()})
		}
		return w, w.Apply(c.Object)
	}
	if !c.Object.IsAbsent() {
		w.Replace(c.Object)
	}
	if c.Change != nil {
		w.Compute(c.Change)
	}
	return w, nil
}

// call runs the action of a subresource.
func (l *Local) call(ctx context.Context, w *write.Write, c *Write) ([]byte, error) {
	answer, err := w.Call(ctx, c.Object)
	if err != nil || answer.IsAbsent() {
		return nil, err
	}
	return codec.AppendObject(nil, answer), nil
}

// tell passes the warnings of a write to the client.
func (l *Local) tell(c *Write, w *write.Write) {
	if c.Tell == nil {
		return
	}
	if l.Resource.Kind.Warning != "" {
		c.Tell(l.Resource.Kind.Warning)
	}
	for _, text := range w.Warnings.Texts {
		c.Tell(text)
	}
}

// DeleteCollection implements [Caller].
func (l *Local) DeleteCollection(ctx context.Context, c *Write, options ListOptions) (*Page, error) {
	l, err := l.now(ctx)
	if err != nil {
		return nil, err
	}
	p, err := options.read(l.Resource)
	if err != nil {
		return nil, err
	}
	w, err := l.begin(c)
	if err != nil {
		return nil, err
	}
	if err := l.Enter(l.Resource); err != nil {
		return nil, err
	}
	defer l.Leave(l.Resource)
	defer l.tell(c, w)
	if ctx, p.Only, err = l.calling(ctx, l.many(kind.DeleteCollection, c.Namespace, options)); err != nil {
		return nil, err
	}
	collection := write.Collection{
		Resource: l.Resource, Namespace: c.Namespace, Selected: p, Asked: c.Asked, Warnings: w.Warnings,
	}
	deleted, err := l.Writes.DeleteAll(ctx, collection, c.Deletion)
	if err != nil {
		return nil, err
	}
	return l.page(deleted)
}

// Watch implements [Caller]. It also ends when the API closes. The watch is not a call on the resource, because its
// reader may take any time: if the API gives up the resource, the watch ends.
func (l *Local) Watch(ctx context.Context, f Following, see func(Event) error) error {
	l, err := l.now(ctx)
	if err != nil {
		return err
	}
	p, err := f.Options.read(l.Resource)
	if err != nil {
		return err
	}
	if err := l.Enter(nil); err != nil {
		return err
	}
	defer l.Leave(nil)
	question := l.many(kind.Watch, f.Namespace, f.Options)
	show := func(e follow.Event) error {
		l, err := l.now(ctx)
		if err != nil {
			return err
		}
		event, err := l.event(e)
		if err != nil {
			return err
		}
		return see(event)
	}
	if f.Recovers {
		permit := func(ctx context.Context, res *resource.Resource) (*rights.Permission, error) {
			now := *l
			now.Resource = res
			return now.watching(ctx, question)
		}
		return follow.Follow(ctx, l.Resource, permit, f.Namespace, p, show)
	}
	permission, err := l.watching(ctx, question)
	if err != nil {
		return err
	}
	defer permission.Release()
	p.Only, p.Resume = permission.Only, permission.Resume
	b, err := follow.BeginningOf(permission, l.Resource, f.Namespace, p)
	if err != nil {
		return err
	}
	return follow.Watch(permission, l.Resource, b, show)
}

// event converts an event to the version of the client. A deleted object gets the resourceVersion of its deletion, as
// in a watch over HTTP.
func (l *Local) event(e follow.Event) (Event, error) {
	r, err := l.Resource.Show(e.Object)
	if err != nil {
		return Event{}, err
	}
	event := Event{Type: e.Type, JSON: r.JSON, ResourceVersion: text(e.Revision)}
	if e.Type == apimeta.EventDeleted {
		event.JSON = r.AppendAt(nil, e.Revision)
	} else {
		event.Written = time.UnixMicro(e.Object.Written)
	}
	return event, nil
}
