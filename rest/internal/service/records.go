package service

import (
	"context"

	"github.com/decorum-go/decorum/rest/internal/follow"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Records are the objects of a client as a store of this process keeps them. A reader decodes an object when it needs
// the object, so it keeps no second copy.
type Records struct {
	Calls     *Calls
	Namespace string
}

// List returns the selected records, on one page.
func (r *Records) List(ctx context.Context, selected Selected) (Page, error) {
	return r.Calls.List(Caller{Context: ctx}, r.Namespace, selected, Into{})
}

// Watch calls see with each selected change after the resourceVersion of the selection, until see returns an error, the
// context ends or the watch fails. It returns the reason.
func (r *Records) Watch(ctx context.Context, selected Selected, see func(follow.Event) error) error {
	return r.Calls.watch(ctx, Following{Namespace: r.Namespace, Selected: selected}, see)
}

// Decode returns the object of a record as a pointer to the Go type of the client, and the length of its text. at is the
// revision of the record, or the revision that deleted the object.
func (r *Records) Decode(ctx context.Context, record *storage.Record, at watch.Revision) (obj any, length int, err error) {
	of := r.Calls.Resource
	shown, err := of.Show(ctx, record)
	if err != nil {
		return nil, 0, err
	}
	var json []byte
	if at == shown.Revision {
		json, err = shown.JSON(ctx)
	} else {
		json, err = shown.AppendAt(ctx, nil, at)
	}
	if err != nil {
		return nil, 0, err
	}
	obj, err = of.GoType.Decode(json)
	return obj, len(json), err
}
