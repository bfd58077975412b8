package service

import (
	"context"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/storage"
)

// Calls implements [Service] for the clients of the process that serves the API. It uses only the context of a
// [Caller], admits the call, and passes it to [Local]. The API provides the functions.
type Calls struct {
	// Local serves the resource that the API served when the client was made. A call uses the resource that has replaced
	// it since.
	Local
	// Enter registers a call on the resource, so that the shutdown of the API waits for it, and so does the store before
	// it stops serving the resource. Leave ends the call.
	Enter func(*resource.Resource) error
	Leave func(*resource.Resource)
	// Calling returns the context of a call. It carries the user and the access, for hooks.
	Calling func(context.Context, access.Access) context.Context
	// Permit returns an error unless the caller has an access, and the restriction under which it has. Nil permits
	// everything.
	Permit func(context.Context, *resource.Resource, access.Access) (*rights.Restriction, error)
	// PermitWatch is Permit for a watch.
	PermitWatch func(context.Context, *resource.Resource, access.Access) (*rights.Permission, error)
}

// now returns what the API serves now: the Local of the client unless the resource was replaced. If the API has given
// up the resource, the error is the one that a request over HTTP gets, ResourceNotFound.
func (s *Calls) now(ctx context.Context) (*Local, error) {
	served, err := s.Resource.Current(ctx)
	if err != nil || served == s.Resource {
		return &s.Local, err
	}
	return &Local{Resource: served, Writes: s.Writes}, nil
}

// admit returns the caller of a call, or an error if it may not make the call.
func (s *Calls) admit(ctx context.Context, l *Local, to access.Access) (Caller, error) {
	c := Caller{Context: s.Calling(ctx, to)}
	if s.Permit == nil {
		return c, nil
	}
	var err error
	c.Only, err = s.Permit(c.Context, l.Resource, to)
	return c, err
}

// call enters the API and makes a call of the present resource.
func (s *Calls) call(ctx context.Context, to func(*Local) (access.Access, error), do func(Caller, *Local) error) error {
	l, err := s.now(ctx)
	if err != nil {
		return err
	}
	access, err := to(l)
	if err != nil {
		return err
	}
	if err := s.Enter(l.Resource); err != nil {
		return err
	}
	defer s.Leave(l.Resource)
	c, err := s.admit(ctx, l, access)
	if err != nil {
		return err
	}
	return do(c, l)
}

// Get implements [Service].
func (s *Calls) Get(c Caller, at Address, resourceVersion string) (json []byte, err error) {
	if err := at.CheckName(); err != nil {
		return nil, err
	}
	err = s.call(c.Context, func(l *Local) (access.Access, error) {
		_, err := resource.ReadRevision(resourceVersion)
		return at.Access(l.Resource, kind.Get), err
	}, func(c Caller, l *Local) (err error) {
		json, err = l.Get(c, at, resourceVersion)
		return err
	})
	return json, err
}

// calledHistory is the history that a call reads. The call ends with it.
type calledHistory struct {
	History
	leave func()
}

func (h *calledHistory) Close() {
	h.History.Close()
	h.leave()
}

// History implements [Service].
func (s *Calls) History(c Caller, at Address) (History, error) {
	if err := at.CheckName(); err != nil {
		return nil, err
	}
	l, err := s.now(c.Context)
	if err != nil {
		return nil, err
	}
	if err := s.Enter(l.Resource); err != nil {
		return nil, err
	}
	found, err := s.history(c.Context, l, at)
	if err != nil {
		s.Leave(l.Resource)
		return nil, err
	}
	return &calledHistory{found, func() { s.Leave(l.Resource) }}, nil
}

func (s *Calls) history(ctx context.Context, l *Local, at Address) (History, error) {
	c, err := s.admit(ctx, l, at.Access(l.Resource, kind.Get))
	if err != nil {
		return nil, err
	}
	return l.History(c, at)
}

// selected makes a call about many objects.
func (s *Calls) selected(ctx context.Context, verb, namespace string, selected Selected,
	do func(Caller, *Local, Selected) error) error {
	var parsed Selected
	return s.call(ctx, func(l *Local) (access.Access, error) {
		p, err := selected.For(l.Resource)
		parsed = Parsed(p)
		return selected.access(l.Resource, verb, namespace), err
	}, func(c Caller, l *Local) error { return do(c, l, parsed) })
}

// access returns the access of a call about many objects.
func (s *Selected) access(res *resource.Resource, verb, namespace string) access.Access {
	to := Address{Namespace: namespace}.Access(res, verb)
	to.LabelSelector, to.FieldSelector = s.LabelSelector, s.FieldSelector
	if verb != kind.DeleteCollection {
		to.Name = route.SelectedName(s.FieldSelector)
	}
	return to
}

// List implements [Service].
func (s *Calls) List(c Caller, namespace string, selected Selected, into Into) (page Page, err error) {
	err = s.selected(c.Context, kind.List, namespace, selected, func(c Caller, l *Local, selected Selected) error {
		page, err = l.List(c, namespace, selected, into)
		return err
	})
	return page, err
}

// Count implements [Service].
func (s *Calls) Count(c Caller, namespace string, selected Selected, loan *storage.Loan) (counts *queries.Counts,
	err error) {
	err = s.selected(c.Context, kind.List, namespace, selected, func(c Caller, l *Local, selected Selected) error {
		counts, err = l.Count(c, namespace, selected, loan)
		return err
	})
	return counts, err
}

// calledWriting is a write that a client of the process makes.
type calledWriting struct {
	*writing
	calls *Calls
	in    *Local
}

// Begin implements [Service].
func (s *Calls) Begin(ctx context.Context, w *Wanted) (Writing, error) {
	if w.Verb != kind.Create || w.Subresource != "" {
		if err := w.CheckName(); err != nil {
			return nil, err
		}
	}
	l, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	begun, err := l.begin(ctx, w)
	if err != nil {
		return nil, err
	}
	return &calledWriting{begun, s, l}, nil
}

// Do implements [Writing].
func (w *calledWriting) Do(c Caller) (write.Result, error) {
	s, l := w.calls, w.in
	if err := s.Enter(l.Resource); err != nil {
		return write.Result{}, err
	}
	defer s.Leave(l.Resource)
	defer l.warn(w.wanted)
	to := w.wanted.Access(l.Resource, w.wanted.Verb)
	c, err := s.admit(c.Context, l, to)
	if err != nil {
		return write.Result{}, err
	}
	if to.Verb = access.VerbCreate; s.Permit != nil {
		c.MayCreate = func(ctx context.Context) (*rights.Restriction, error) { return s.Permit(ctx, l.Resource, to) }
	}
	return w.writing.Do(c)
}

// warn adds the warning about a deprecated version, which comes first.
func (l *Local) warn(w *Wanted) {
	if text := l.Resource.Kind.Warning; text != "" && w.Warnings != nil {
		w.Warnings.Texts = append([]string{text}, w.Warnings.Texts...)
	}
}

// DeleteCollection implements [Service].
func (s *Calls) DeleteCollection(c Caller, w *Wanted, selected Selected, into Into) (page Page, err error) {
	err = s.selected(c.Context, kind.DeleteCollection, w.Namespace, selected,
		func(c Caller, l *Local, selected Selected) error {
			defer l.warn(w)
			page, err = l.DeleteCollection(c, w, selected, into)
			return err
		})
	return page, err
}

// Watch implements [Service].
func (s *Calls) Watch(c Caller, f Following, see func(Event) error) error {
	ctx := c.Context
	return s.watch(ctx, f, func(e follow.Event) error {
		l, err := s.now(ctx)
		if err != nil {
			return err
		}
		event, err := eventOf(ctx, l.Resource, e)
		if err != nil {
			return err
		}
		return see(event)
	})
}

// watch is like Watch, but passes records to see. It also ends when the API closes or gives up the resource. The watch
// does not count as a call on the resource, because its reader may take any time.
func (s *Calls) watch(ctx context.Context, f Following, see func(follow.Event) error) error {
	l, err := s.now(ctx)
	if err != nil {
		return err
	}
	p, err := f.Selected.For(l.Resource)
	if err != nil {
		return err
	}
	if err := s.Enter(nil); err != nil {
		return err
	}
	defer s.Leave(nil)
	to := f.Selected.access(l.Resource, kind.Watch, f.Namespace)
	permit := func(ctx context.Context, res *resource.Resource) (*rights.Permission, error) {
		ctx = s.Calling(ctx, to)
		if s.PermitWatch == nil {
			return &rights.Permission{Context: ctx, Release: func() {}}, nil
		}
		return s.PermitWatch(ctx, res, to)
	}
	if f.Recovers {
		return follow.Follow(ctx, l.Resource, permit, f.Namespace, *p, see)
	}
	permission, err := permit(ctx, l.Resource)
	if err != nil {
		return err
	}
	defer permission.Release()
	b, err := l.Beginning(Caller{Context: permission, Only: permission.Only, Resume: permission.Resume}, f.Namespace, Parsed(p))
	if err != nil {
		return err
	}
	return follow.Watch(permission, l.Resource, b, see)
}
