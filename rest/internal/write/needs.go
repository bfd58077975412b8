package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// checkDefined refuses to create an object of a kind whose definition is deleted. commitNew checks again in the
// transaction of the write; this earlier check gives the error before the other steps run.
func checkDefined(ctx context.Context, res *resource.Resource, name string) error {
	by := res.Stored.DefinedBy
	if by == nil {
		return nil
	}
	record, err := res.Host.Store.Get(ctx, by.Key, storage.Any)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return definedIn(res, record, name)
}

// definedIn refuses to create an object if the record is not the definition of the kind, or if the definition is being
// deleted. The API may not have seen that change yet: the client sends the request again, and finds the new definition
// or none.
func definedIn(res *resource.Resource, record *storage.Record, name string) error {
	switch {
	case record == nil || record.UID != res.Stored.DefinedBy.UID:
		gone := status.ServiceUnavailable("the definition of the resource has been deleted or replaced, please try again")
		gone.Status.Details = &status.Details{RetryAfterSeconds: 1}
		return gone
	case record.Deleting:
		return status.Forbidden(res.GR, name, "create not allowed while custom resource definition is terminating")
	}
	return nil
}

// checkNamespaceOpen refuses to create an object in a namespace that does not exist or is being deleted. If the API
// serves no namespaces, every namespace is open. The check skips virtual kinds, whose objects are not stored: a review
// of rights must not reveal whether a namespace exists. commitNew checks again in the transaction of the write; this
// earlier check gives the error before the other steps run.
func checkNamespaceOpen(ctx context.Context, res *resource.Resource, namespace, name string) error {
	namespaces := res.Namespaces()
	if namespaces == nil || !res.Kind.Namespaced || res.Kind.Virtual {
		return nil
	}
	record, err := namespaces.Store.Get(ctx, namespaces.Key("", namespace), 0)
	if errors.Is(err, storage.ErrNotFound) {
		return namespaces.NotFound(namespace)
	}
	if err != nil {
		return err
	}
	return openTo(res, record, name)
}

// unknownName replaces the name in the error about an object that has none.
const unknownName = "Unknown"

const causeNamespaceEnding = status.CauseType("NamespaceTerminating")

// openTo refuses to create an object in a namespace that is being deleted.
func openTo(res *resource.Resource, namespace *storage.Record, name string) error {
	if !namespace.Deleting {
		return nil
	}
	refused := status.Forbidden(res.GR, name,
		fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", namespace.Key.Name))
	refused.Status.Details.Causes = append(refused.Status.Details.Causes, status.Cause{Type: causeNamespaceEnding,
		Message: fmt.Sprintf("namespace %s is being terminated", namespace.Key.Name), Field: "metadata.namespace"})
	return refused
}

// need is an object without which no new object may be committed. check returns an error unless its record, which may
// be nil, allows the new object.
type need struct {
	key   storage.Key
	check func(record *storage.Record, name string) error
}

// needed returns what a new object needs.
func (w *Write) needed() (needs []need) {
	if by := w.res.Stored.DefinedBy; by != nil {
		check := func(record *storage.Record, name string) error { return definedIn(w.res, record, name) }
		needs = append(needs, need{by.Key, check})
	}
	if namespaces := w.res.Namespaces(); namespaces != nil && w.res.Kind.Namespaced {
		needs = append(needs, need{namespaces.Key("", w.Namespace), func(record *storage.Record, name string) error {
			if record == nil {
				return namespaces.NotFound(w.Namespace)
			}
			return openTo(w.res, record, name)
		}})
	}
	return needs
}
