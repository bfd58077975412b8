package resource

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// DefinedBy is the object that describes a kind. Objects of the kind are created only while it exists, with this UID, and is not being
// deleted.
type DefinedBy struct {
	storage.Key
	UID string
}

// checkDefined refuses to create an object of a kind whose definition is deleted. commitNew checks again in the transaction of the write;
// this earlier check gives the error before the other steps run.
func (res *Resource) checkDefined(ctx context.Context, name string) error {
	by := res.Stored.definedBy
	if by == nil {
		return nil
	}
	record, err := res.Store.Get(ctx, by.Key, storage.Any)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return res.definedIn(record, name)
}

// definedIn refuses to create an object if the record is not the definition of the kind, or if the definition is being deleted. The API may
// not have seen that change yet: the client sends the request again, and finds the new definition or none.
func (res *Resource) definedIn(record *storage.Record, name string) error {
	switch {
	case record == nil || record.UID != res.Stored.definedBy.UID:
		gone := status.ServiceUnavailable("the definition of the resource has been deleted or replaced, please try again")
		gone.Status.Details = &status.Details{RetryAfterSeconds: 1}
		return gone
	case record.Deleting:
		return status.Forbidden(res.GR, name, "create not allowed while custom resource definition is terminating")
	}
	return nil
}
