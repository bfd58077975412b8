package resource

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Target names the object of a read or a write.
type Target struct {
	Namespace string
	// Name is empty for a new object until its body has been read. If the server generates the name, it is empty until the
	// object is committed.
	Name string
	// Through is the subresource through which the client writes the object. It is nil if the client writes the object
	// itself.
	Through *Subresource
	// Only restricts the client.
	Only *rights.Restriction
}

// Part returns the part of the object that the target writes.
func (t Target) Part() Part {
	if t.Through == nil {
		return MainPart
	}
	return t.Through.Part
}

// ThroughOwnKind reports whether the client writes the object through a subresource that has a kind of its own, such as
// /scale.
func (t Target) ThroughOwnKind() bool { return t.Through != nil && !t.Through.OfItself }

// Get returns the record of a target in the version of the resource, not older than a revision.
func (res *Resource) Get(ctx context.Context, t Target, atLeast watch.Revision) (*storage.Record, error) {
	record, err := res.Store.Get(ctx, res.Key(t.Namespace, t.Name), atLeast)
	if err != nil {
		return nil, res.StoreError(err, t.Name)
	}
	if t.Only != nil && !res.Admits(t.Only, record) {
		return nil, res.NotFound(t.Name)
	}
	return res.ShowIn(ctx, record)
}

// StoreError turns the store's error about an object into the Status for the client.
func (res *Resource) StoreError(err error, name string) error {
	// A hook or a step has made such an error. Its cause may be an error of a store about another object.
	if _, ok := errors.AsType[*status.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return res.NotFound(name)
	case errors.Is(err, storage.ErrResource): // the API gave up the resource while the request was under way
		return status.ResourceNotFound()
	case errors.Is(err, storage.ErrContended):
		return status.Conflict(res.Stored.GR, name, fmt.Sprintf("the object changed during each of %d attempts to write it: "+
			"it has too many writers, or a hook that runs for this write writes it too", storage.MaxAttempts))
	case errors.Is(err, storage.ErrKey) && name == "": // only programs in the process can send a key that no URL can express
		return status.BadRequest("Name parameter required.").WithCause(err)
	case errors.Is(err, storage.ErrKey):
		return status.BadRequest(fmt.Sprintf("Name parameter invalid: %q: the store holds no object of %s with this name and namespace",
			name, res.GR)).WithCause(err)
	}
	return err
}

// ShowIn is [Resource.Show] for a request. If the record is converted outside of the process, the call is a step of the
// request, and the request waits for it until ctx ends.
func (res *Resource) ShowIn(ctx context.Context, r *storage.Record) (*storage.Record, error) {
	if !res.ConvertsOutside() || res.Retired() {
		return res.Show(ctx, r)
	}
	one := []*storage.Record{r}
	err := res.showOutside(ctx, one)
	return one[0], err
}

// Show returns a stored record in the version of the resource: the record itself if this is the stored version,
// otherwise a record of the converted object with the same key and revision. Callers share both and must not change
// them.
func (res *Resource) Show(ctx context.Context, r *storage.Record) (*storage.Record, error) {
	if res.Stored.retirement.Load() != nil {
		return res.showRetired(ctx, r)
	}
	return res.show(ctx, r)
}

// showToSelect is like Show, but for functions that select records. The store calls such a function without a context,
// and a watch may call it as long as the watch lasts.
func (res *Resource) showToSelect(r *storage.Record) (*storage.Record, error) {
	return res.Show(context.Background(), r)
}

func (res *Resource) show(ctx context.Context, r *storage.Record) (*storage.Record, error) {
	if res.FromStored == nil {
		return r, nil
	}
	return res.showConverted(ctx, r)
}

// showConverted returns the cached conversion of a record, or converts it.
func (res *Resource) showConverted(ctx context.Context, r *storage.Record) (*storage.Record, error) {
	if res.Stored.outside != nil {
		one := []*storage.Record{r}
		err := res.showOutside(context.WithoutCancel(ctx), one)
		return one[0], err
	}
	k := shownKey{revision: r.Revision, as: res}
	if shown := res.shownCache.get(k); shown != nil {
		return shown, nil
	}
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	v, _, err := codec.DecodeJSON(text)
	if err == nil {
		v, err = res.FromStored(v)
	}
	if err != nil {
		return nil, err
	}
	return res.ShowAs(r, v)
}

// ShowAs caches v, the object of a record in this version, as a record.
func (res *Resource) ShowAs(r *storage.Record, v doc.Value) (*storage.Record, error) {
	text := codec.AppendObject(nil, v)
	parts, err := res.extract(text)
	if err != nil {
		return nil, fmt.Errorf("%v as %s: %w", r.Key, res.VersionBeside(res.Stored), err)
	}
	shown := storage.Record{Key: r.Key, Revision: r.Revision}
	return res.shownCache.add(shownKey{revision: r.Revision, as: res}, shown.With(text, parts)), nil
}

// shownAhead is how many bytes of a list are converted before the answer begins.
const shownAhead = 4 << 20

// ShowAhead converts the beginning of a list, before the answer starts. If a conversion fails there, the client gets an
// error Status. The rest of a long list is converted while it is sent; a failure then can only break off the answer. If
// objects are converted outside of the process, ShowAhead converts all of them together, and replaces the records,
// which [Resource.Show] then leaves as they are.
func (res *Resource) ShowAhead(ctx context.Context, records []*storage.Record) error {
	switch {
	case res.FromStored == nil:
		return nil
	case res.ConvertsOutside() && !res.Retired():
		return res.showOutside(ctx, records)
	}
	bytes := 0
	for _, r := range records {
		shown, err := res.Show(ctx, r)
		if err != nil {
			return err
		}
		if bytes += shown.Len(); bytes > shownAhead {
			break
		}
	}
	return nil
}
