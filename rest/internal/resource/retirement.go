package resource

import (
	"bytes"
	"context"
	"errors"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// ErrRetired says that the API has given up or replaced the resource of a request. It never reaches a client: a request
// that has just begun looks its path up again, a watch ends cleanly, and a write starts again on the resource that the
// API serves instead.
var ErrRetired = errors.New("the resource has been given up or replaced")

// Retirement says what becomes of a resource that the API gives up or replaces. Its stored version holds it for all
// versions.
//
// The order of a replacement is: the old resource gets its retirement; the store upgrades the records; the API
// exchanges what it serves; the retirement is decided. A write of the old resource therefore either commits before the
// upgrade, or sees the retirement when the store repeats it.
type Retirement struct {
	// replaced says that another resource takes over. Without it the API gives the resource up, and writes under way
	// may still finish.
	replaced bool
	// reshaped says that the records of the resource that takes over have another form.
	reshaped bool
	// decided is closed when the API serves the next set. If the change has failed, the resource no longer has the
	// retirement then.
	decided chan struct{}
}

// Replace gives the resource its retirement: next takes its place, if the exchange succeeds. Replace returns the
// retirement before.
func (res *Resource) Replace(next *Resource) (before *Retirement) {
	reshaped := next.fingerprint() != res.fingerprint()
	return res.retirement.Swap(&Retirement{replaced: true, reshaped: reshaped, decided: make(chan struct{})})
}

// Restore takes Replace back. before is what Replace has returned.
func (res *Resource) Restore(before *Retirement) { close(res.retirement.Swap(before).decided) }

// Decide says that the API serves what takes the place of the resource.
func (res *Resource) Decide() { close(res.retirement.Load().decided) }

// GiveUp says that the API has given the resource up. Writes under way may still finish.
func (res *Resource) GiveUp() { res.retirement.Store(&Retirement{decided: decided()}) }

// End says that the store stops serving the resource. A write that is still under way does not commit under a later
// declaration.
func (res *Resource) End() { res.retirement.Store(&Retirement{replaced: true, decided: decided()}) }

// decided returns a closed channel, for a retirement that is already complete.
func decided() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// IsRetired reports whether err says that the API has given up or replaced the resource of a watch.
func IsRetired(err error) bool {
	return errors.Is(err, ErrRetired) || errors.Is(err, storage.ErrResource)
}

// Current returns the resource that the API serves under the group, version and plural of this one: usually the
// resource itself. During a replacement it waits for the outcome. It returns ResourceNotFound if the API has given up
// the resource, and the cause of the context if that ends first.
func (res *Resource) Current(ctx context.Context) (*Resource, error) {
	for {
		f := res.Stored.retirement.Load()
		if f == nil {
			return res, nil
		}
		select {
		case <-f.decided:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if !res.Retired() { // the change has failed
			return res, nil
		}
		next := res.inServed()
		if next == nil {
			return nil, status.ResourceNotFound()
		}
		res = next
	}
}

// OnServed lists from the resource that the API serves. If another resource takes the place of this one meanwhile, the
// store may have used the indexes of that one. list then runs again with it, as if the request had arrived later.
func (res *Resource) OnServed(ctx context.Context, list func(*Resource) error) error {
	for {
		err := list(res)
		if !res.Replaced() {
			return err
		}
		if res, err = res.Current(ctx); err != nil {
			return err
		}
	}
}

// inServed returns the version of this group, version and plural in what the API serves now, or nil.
func (res *Resource) inServed() *Resource {
	return res.Served().versions[res.GVK.GroupVersion().WithResource(res.GR.Resource)]
}

// EndOfWatch returns the error for the reader of a watch that has ended with err. If the resource was replaced, that
// is an Expired error, because the reader must list again.
func (res *Resource) EndOfWatch(ctx context.Context, err error) error {
	if !IsRetired(err) {
		return err
	}
	if !res.Retired() && errors.Is(err, storage.ErrResource) {
		return status.ResourceNotFound() // the host has unregistered it from the store
	}
	if _, err := res.Current(ctx); err != nil {
		return err
	}
	return status.Expired("the resource was replaced by a newer declaration")
}

// showRetired is Show for a resource that is or was replaced. The store may already hold the record in the form of the
// next resource.
func (res *Resource) showRetired(ctx context.Context, r *storage.Record) (*storage.Record, error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte(`{"apiVersion":"`+res.Stored.GVK.GroupVersion().String()+`"`)) {
		return res.show(ctx, r)
	}
	next := res.inServed()
	if next == nil || next == res {
		return nil, status.ResourceNotFound()
	}
	return next.Show(ctx, r)
}
