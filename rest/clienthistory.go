package rest

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/past"
	"github.com/decorum-go/decorum/rest/internal/service"
)

// The subresources of a kind with a [History].
const (
	theHistory = "history"
	theUndo    = "undo"
)

// HistoryClient reads the former versions of the objects of one resource, and undoes changes. docs/extensions.md
// explains versions.
//
// In the signatures of the methods, P is *T.
type HistoryClient[T any] struct{ historyCalls[*T] }

// HistoryOf returns the HistoryClient for the resource of a client, in its namespace, and with its field manager, user
// and other options.
func HistoryOf[T any](c Client[T]) HistoryClient[T] {
	return HistoryClient[T]{historyCalls[*T]{historyClient{c.client}}}
}

// historyCalls are the methods of a [HistoryClient] whose results are objects. P is *T, see [declared].
type historyCalls[P any] struct{ historyClient }

// historyClient is a [HistoryClient] without its type parameter.
type historyClient struct{ of *client }

// List returns the versions of an object that the server keeps, the youngest first. If the object is deleted, it
// returns those of the last object with this name. It returns NotFound if the kind has no [History], or no version is
// kept.
func (c historyClient) List(ctx context.Context, name string) (*history.ObjectVersionList, error) {
	list := new(history.ObjectVersionList)
	json, err := c.of.past(ctx, name, past.Query{})
	if err := decodeInto(list, json, err); err != nil {
		return nil, err
	}
	return list, nil
}

// At returns an object as it was at a resourceVersion. If only the status has changed since, the status is that
// of a later revision, which the object shows.
func (c historyCalls[P]) At(ctx context.Context, name, revision string) (P, error) {
	return as[P](c.of.atRevision(ctx, name, revision))
}

func (c *client) atRevision(ctx context.Context, name, revision string) (any, error) {
	return c.decode(c.past(ctx, name, past.Query{Revision: revision}))
}

// Difference returns what differs between the versions of an object at two resourceVersions. An empty to stands for the
// present state or, if the object is deleted, for its last one.
func (c historyClient) Difference(ctx context.Context, name, from, to string) (*history.Difference, error) {
	found := new(history.Difference)
	json, err := c.of.past(ctx, name, past.Query{From: from, To: to})
	if err := decodeInto(found, json, err); err != nil {
		return nil, err
	}
	return found, nil
}

func (c *client) past(ctx context.Context, name string, query past.Query) ([]byte, error) {
	at, err := c.at(access.VerbGet, name, theHistory)
	if err != nil {
		return nil, err
	}
	if err := query.Check(); err != nil {
		return nil, err
	}
	found, err := c.service.History(service.Caller{Context: ctx}, at)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	return found.Answer(query)
}

// Undo gives an object the content of an earlier version: the labels, the annotations, and everything outside of
// metadata and status. If the object is deleted, Undo creates it anew, with another uid. revision is a resourceVersion
// that the object had in the version; "" means the version before the present one or, for a deleted object, the last
// one. An undo is an update or a create like any other, and returns the same errors. Like them it can be undone.
func (c historyCalls[P]) Undo(ctx context.Context, name, revision string, options UndoOptions) (P, error) {
	return as[P](c.of.undo(ctx, name, revision, options))
}

func (c *client) undo(ctx context.Context, name, revision string, options UndoOptions) (any, error) {
	w, err := c.write(ctx, access.VerbGet, name, theUndo)
	if err != nil {
		return nil, err
	}
	w.Verb = string(access.VerbCreate)
	request := history.UndoRequest{
		TypeMeta: apimeta.TypeMeta{Kind: "UndoRequest", APIVersion: history.APIVersion}, Revision: revision,
		Preconditions: options.Preconditions,
	}
	if w.Object, err = codec.FromGo(&request); err != nil {
		return nil, err
	}
	return c.decode(c.do(ctx, w))
}

// UndoOptions are the options of [HistoryClient.Undo]. The zero value undoes without conditions.
type UndoOptions struct {
	// Preconditions must hold for the present object, or for the uid of the deleted one. Otherwise the error is a
	// Conflict.
	Preconditions *apimeta.Preconditions
}

// Purge erases the former versions of an object and of earlier objects with its name. The present state
// stays.
func (c historyClient) Purge(ctx context.Context, name string) error {
	w, err := c.of.write(ctx, access.VerbGet, name, theHistory)
	if err != nil {
		return err
	}
	w.Verb = string(access.VerbDelete)
	_, err = c.of.do(ctx, w)
	return err
}
