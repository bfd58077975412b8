package past

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Past is the history of an object as a client sees it. If no object has the name, it is the history of the last object
// that had it.
type Past struct {
	UID string
	// Exists reports whether the object exists.
	Exists bool

	loan    storage.Loan // counts the documents in memory, and the answer
	res     *resource.Resource
	target  resource.Target
	states  []*state // the oldest first; the last one is the present state, if the object exists
	deleted history.Write
}

// state is one version of the object.
type state struct {
	revision, after watch.Revision
	written         history.Write
	json            []byte // a part of the record in the store
	read            bool
	// What reading the state has found: whether the client may not see it, the document in the version of the resource,
	// and why that cannot be shown.
	hidden bool
	shown  doc.Value
	err    error
	taken  int64 // the bytes that the loan counts for the document
}

// Read reads the history of an object. It returns NotFound if the client sees no version of it. The caller must call
// Close when it needs neither the history nor the answer any more.
//
// A Past takes the memory of each document that it reads from the budget of answers. It takes nothing for the texts,
// because all requests share the texts of the store. At most two documents are in memory at once.
func Read(ctx context.Context, res *resource.Resource, t resource.Target) (*Past, error) {
	key := res.Key(t.Namespace, t.Name)
	current, err := res.Store.Get(ctx, key, storage.MostRecent)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, res.StoreError(err, t.Name)
	}
	entries, err := entriesOf(ctx, res, key, storage.Any)
	if err != nil {
		return nil, err
	}
	p := &Past{loan: res.Lend(ctx), res: res, target: t, Exists: current != nil}
	if current != nil {
		p.UID = current.UID
	} else {
		p.UID = lastDeleted(entries)
	}
	var last watch.Revision
	var replaced history.Write
	for _, e := range entries {
		// A write that has committed since the object was read belongs to the future.
		if e.uid != p.UID || current != nil && e.revision >= current.Revision {
			continue
		}
		c, err := e.content()
		if err != nil {
			return nil, err
		}
		if last, replaced = e.Revision, c.Replaced; c.Object != nil && !expired(res, e.Written) {
			p.states = append(p.states, &state{revision: e.revision, after: c.After, written: c.Written, json: c.Object})
		}
	}
	if current != nil {
		text, err := current.JSON(ctx)
		if err != nil {
			return nil, err
		}
		p.states = append(p.states, &state{revision: current.Revision, after: last, written: replaced, json: text})
	} else {
		p.deleted = replaced
	}
	if len(p.states) == 0 {
		return nil, res.NotFound(t.Name)
	}
	seen := false
	defer func() {
		if !seen { // a function of the host that converts may have panicked
			p.Close()
		}
	}()
	hidden, err := p.hides(p.states[len(p.states)-1])
	switch {
	case err != nil:
		return nil, err
	case hidden:
		return nil, res.NotFound(t.Name)
	}
	seen = true
	return p, nil
}

// Close gives back the memory of the documents and of the answer.
func (p *Past) Close() { p.loan.Release() }

// lastDeleted returns the uid of the object that was deleted last, or "".
func lastDeleted(entries []*entry) (uid string) {
	var latest watch.Revision
	for _, e := range entries {
		if e.revision > latest {
			latest, uid = e.revision, e.uid
		}
	}
	return uid
}

// perForm is how many bytes the document of an object, and the text that an answer makes of it, take for each byte of
// its JSON. They take more if the object consists of short values.
const perForm = 5

// hides reports whether the rights of the client do not extend to a state. It reads the state first. It returns an
// error if the budget refuses the memory for that.
func (p *Past) hides(s *state) (bool, error) {
	if s.read {
		return s.hidden, nil
	}
	taken := int64(max(perForm*len(s.json), len(s.json)+codec.DocumentBytes(s.json)))
	if p.res.FromStored != nil {
		taken *= 2
	}
	if err := p.loan.Take(taken); err != nil {
		return false, err
	}
	s.read, s.taken = true, taken
	var stored doc.Value
	stored, s.shown, s.err = p.res.FormerForms(s.json)
	if p.target.Only != nil {
		admitted := false
		if s.err == nil {
			key := p.res.Key(p.target.Namespace, p.target.Name)
			admitted, s.err = p.res.AdmitsForms(p.target.Only, key, s.shown, stored)
		}
		s.hidden = !admitted
	}
	return s.hidden, nil
}

// forget gives up the document of a state.
func (p *Past) forget(s *state) {
	p.loan.Keep(p.loan.Size() - s.taken)
	s.read, s.shown, s.taken = false, doc.Value{}, 0
}

// notKept returns the error for a version that is not kept, or that the client does not see.
func (p *Past) notKept(revision string) error {
	err := status.NotFound(p.res.GR, p.target.Name)
	err.Status.Message = fmt.Sprintf("the version %s of %s %q is not kept", revision, p.res.GR, p.target.Name)
	return err
}

// find returns the version that the object had at a revision.
func (p *Past) find(revision string) (*state, error) {
	at, err := resource.ReadRevision(revision)
	if err != nil {
		return nil, err
	}
	for _, s := range p.states {
		if at > s.revision {
			continue
		}
		hidden, err := p.hides(s)
		switch {
		case err != nil:
			return nil, err
		case hidden || at < s.revision && (s.after == 0 || at <= s.after):
			return nil, p.notKept(revision)
		case s.err != nil:
			return nil, p.unreadable(s)
		}
		return s, nil
	}
	return nil, p.notKept(revision)
}

// unreadable returns the error for a version that the present declaration of the kind cannot read.
func (p *Past) unreadable(s *state) error {
	text := fmt.Sprintf("the version %d of %s %q cannot be read by the present declaration of the kind", s.revision,
		p.res.GR, p.target.Name)
	return status.Generic(500, text).WithCause(s.err)
}

// Version returns the object at a revision, in the version of the resource. Without a revision, it is the version
// before the present one or, if the object is deleted, the last one.
func (p *Past) Version(revision string) (doc.Value, error) {
	if p.forget(p.states[len(p.states)-1]); revision != "" {
		s, err := p.find(revision)
		if err != nil {
			return doc.Value{}, err
		}
		return s.shown, nil
	}
	last := len(p.states) - 1
	if p.Exists {
		last--
	}
	if last < 0 {
		return doc.Value{}, p.notKept("before the present one")
	}
	s := p.states[last]
	switch hidden, err := p.hides(s); {
	case err != nil:
		return doc.Value{}, err
	case hidden:
		return doc.Value{}, p.notKept("before the present one")
	case s.err != nil:
		return doc.Value{}, p.unreadable(s)
	}
	return s.shown, nil
}

// maxChanged limits the paths of one version in a list.
const maxChanged = 50

// List returns the versions that the client sees, the youngest first. It reads each version once, and keeps the
// documents of no more than two.
func (p *Past) List() (*history.ObjectVersionList, error) {
	out := &history.ObjectVersionList{
		TypeMeta: apimeta.TypeMeta{Kind: "ObjectVersionList", APIVersion: history.APIVersion},
		Items:    []history.ObjectVersion{},
	}
	for i, s := range slices.Backward(p.states) {
		switch hidden, err := p.hides(s); {
		case err != nil:
			return nil, err
		case hidden:
			p.forget(s)
			continue
		}
		v := history.ObjectVersion{
			ObjectMeta: apimeta.ObjectMeta{
				Name: p.target.Name, Namespace: p.target.Namespace, UID: p.UID, ResourceVersion: fmt.Sprint(s.revision),
			},
			Written: s.written, Current: p.Exists && i == len(p.states)-1,
		}
		if i > 0 {
			hidden, err := p.hides(p.states[i-1])
			if err != nil {
				return nil, err
			}
			if !hidden {
				v.Changed = p.changed(p.states[i-1], s)
			}
		}
		p.forget(s)
		if err := p.loan.Take(sizeOf(v)); err != nil {
			return nil, err
		}
		out.Items = append(out.Items, v)
	}
	if p.Exists {
		out.ResourceVersion = out.Items[0].ResourceVersion
	} else {
		out.Deleted = &p.deleted
	}
	return out, nil
}

// sizeOf returns about the memory that a version takes in a list and in its JSON.
func sizeOf(v history.ObjectVersion) int64 {
	size := 500
	for _, path := range v.Changed {
		size += (1 + resource.MaxEscaped) * len(path)
	}
	return int64(size)
}

// changed returns the first paths that differ between two versions. It is empty if one of them cannot be read.
func (p *Past) changed(old, now *state) (paths []string) {
	if old.err != nil || now.err != nil {
		return nil
	}
	_ = compare("", contentOf(p.res, old.shown), contentOf(p.res, now.shown), func(path string, _, _ doc.Value) error {
		i, _ := slices.BinarySearch(paths, path)
		if i < maxChanged {
			paths = slices.Insert(paths[:min(len(paths), maxChanged)], i, path)
		} else if len(paths) == maxChanged {
			paths = append(paths, path)
		}
		return nil
	})
	if len(paths) > maxChanged {
		paths[maxChanged] = "..."
	}
	return paths
}

// Difference returns what differs between two versions. Without to, the second one is the present state or, if the
// object is deleted, the last one.
func (p *Past) Difference(from, to string) (*history.Difference, error) {
	now := p.states[len(p.states)-1]
	if to != "" {
		p.forget(now)
	}
	old, err := p.find(from)
	if err != nil {
		return nil, err
	}
	if to != "" {
		if now, err = p.find(to); err != nil {
			return nil, err
		}
	}
	if now.err != nil {
		return nil, p.unreadable(now)
	}
	changes, err := differences(p.res, old.shown, now.shown, &p.loan)
	if err != nil {
		return nil, err
	}
	return &history.Difference{
		TypeMeta: apimeta.TypeMeta{Kind: "Difference", APIVersion: history.APIVersion},
		From:     fmt.Sprint(old.revision), To: fmt.Sprint(now.revision),
		Changes: append([]history.FieldChange{}, changes...),
	}, nil
}

// Query are the parameters of a GET of the subresource history. Revision asks for an object, and From for a difference,
// to the present state unless To is set. Without them, the answer is the list of the versions.
type Query struct{ Revision, From, To string }

// Check refuses parameters that contradict each other.
func (q Query) Check() error {
	if q.Revision != "" && q.From != "" || q.To != "" && q.From == "" {
		return status.BadRequest("the parameters of history are either revision, or from, or from and to")
	}
	return nil
}

// Answer returns what a query asks for, as JSON. Afterwards, the Past has the memory of the answer only.
func (p *Past) Answer(q Query) (answer []byte, err error) {
	switch {
	case q.Revision != "":
		var v doc.Value
		if v, err = p.Version(q.Revision); err == nil {
			answer = codec.AppendObject(nil, v)
		}
	case q.From != "":
		var d *history.Difference
		if d, err = p.Difference(q.From, q.To); err == nil {
			answer, err = json.Marshal(d)
		}
	default:
		var l *history.ObjectVersionList
		if l, err = p.List(); err == nil {
			answer, err = json.Marshal(l)
		}
	}
	p.states = nil
	p.loan.Keep(int64(len(answer)))
	return answer, err
}
