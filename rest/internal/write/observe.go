package write

import (
	"context"

	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

// committing is a commit as the observer of the write sees it.
type committing struct {
	found   *storage.Record // the stored object of the last attempt
	removes bool            // the last attempt removes the object
	ended   func(observe.StepResult)
}

// beginCommit reports that the store begins to commit what an attempt has computed.
func (w *Write) beginCommit(ctx context.Context, current *storage.Record, json []byte) {
	if w.observer == nil {
		return
	}
	w.found, w.removes = current, json == nil
	if !w.Asked.DryRun {
		_, w.ended = w.observer.Begin(ctx, observe.Step{Kind: observe.StepCommit})
	}
}

// endCommit reports that the store has ended a commit, or that another write has committed first.
func (w *Write) endCommit(err error) {
	if w.ended != nil {
		w.ended(observe.StepResult{Err: err})
		w.ended = nil
	}
}

// committed reports the end of a commit, and the change of the object, if any. A write that changes nothing leaves the
// revision of the object as it was.
func (w *Write) committed(ctx context.Context, record *storage.Record, err error) {
	w.endCommit(err)
	if w.observer != nil && err == nil && record != nil && w.changed(record) {
		w.reportChange(ctx, record.Key, w.changeTo(ctx, record))
	}
}

// changeTo describes the change to a record. It leaves out a text that the store cannot read.
func (w *Write) changeTo(ctx context.Context, record *storage.Record) observe.ObjectChange {
	c := observe.ObjectChange{
		Resource: w.res.GR.String(), Namespace: record.Key.Namespace, Name: record.Key.Name, UID: record.UID,
		Revision: uint64(record.Revision),
	}
	if w.found != nil {
		c.Before, _ = w.found.JSON(ctx)
	}
	if !w.removes {
		c.After, _ = record.JSON(ctx)
	}
	return c
}
