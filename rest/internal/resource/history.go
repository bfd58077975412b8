package resource

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/history"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/storage"
)

// History says how long the server keeps the former versions of objects.
type History struct {
	// Versions is how many former versions it keeps of the objects with one name.
	Versions int
	// For is how long it keeps a version that has been replaced.
	For time.Duration
}

// The subresources of a kind with a history.
const (
	historyName = "history"
	undoName    = "undo"
)

// historyPrefix begins the names of the resources that hold former versions. The store holds these as notes.
const historyPrefix = "history."

// HistoryName returns the name under which the store keeps the former versions of the objects of a resource, which has
// this name in the store.
func HistoryName(resource string) string { return historyPrefix + resource + "." + notes.Group }

// IsHistory reports whether a resource of the store holds former versions.
func IsHistory(name string) bool {
	return strings.HasPrefix(name, historyPrefix) && notes.IsResource(name)
}

// HistoryName returns the name under which the store keeps the former versions of the objects.
func (res *Resource) HistoryName() string { return HistoryName(res.StoredName()) }

// History returns how the kind keeps its history. It is nil for a kind without one.
func (res *Resource) History() *History { return res.Stored.Traits.History }

// RegisterHistory makes a store hold former versions under a name of [HistoryName]. Their form never changes: an object
// is brought into the present form of its kind when it is read.
func RegisterHistory(ctx context.Context, store storage.Store, name string, namespaced bool,
	holder storage.Holder) error {
	return store.Register(ctx, storage.Resource{
		Name: name, Namespaced: namespaced, Extract: storage.NewExtractor(), Fingerprint: "1", Declaration: name,
		Holder: holder, Auxiliary: true,
	})
}

// FormerForms reads an object that the server stored once, perhaps under an earlier declaration of the kind. It returns
// the object in the present form of the stored version, and in the version of the resource. The declaration may have
// lost the version in which the object was stored. If versions are converted by the names of their fields, that does
// not matter.
func (res *Resource) FormerForms(json []byte) (stored, shown doc.Value, err error) {
	former, _, err := codec.DecodeJSON(json)
	if err != nil {
		return doc.Value{}, doc.Value{}, err
	}
	if res.Stored.copiesFields && res.inVersion(former.Get("apiVersion").Text()) == nil {
		former = res.Stored.WithKind(former)
	}
	if stored, err = res.Stored.upgradedFrom(former); err != nil {
		return doc.Value{}, doc.Value{}, err
	}
	if shown = stored; res.FromStored != nil {
		shown, err = res.FromStored(stored)
	}
	return stored, shown, err
}

// addHistory adds the subresources /history and /undo. A kind that clients cannot update has no /undo.
func (res *Resource) addHistory() error {
	switch {
	case res.Traits.History == nil:
		return nil
	case res.Kind.Virtual:
		return errors.New("History: a virtual kind has no objects")
	}
	of := func(name, kindName string, t reflect.Type, verbs ...string) (*Subresource, error) {
		derived, err := res.Derive(t, schema.Options{})
		gvk := apimeta.GroupVersionKind{Group: history.Group, Version: history.Version, Kind: kindName}
		return &Subresource{Name: name, Kind: gvk, Schema: derived, GoType: t, Verbs: verbs}, err
	}
	past, err := of(historyName, "ObjectVersionList", reflect.TypeFor[history.ObjectVersionList](), kind.Delete, kind.Get)
	if err != nil {
		return err
	}
	past.History = true
	res.Subresources = append(res.Subresources, past)
	if !res.Has(kind.Update) {
		return nil
	}
	undo, err := of(undoName, "UndoRequest", reflect.TypeFor[history.UndoRequest](), kind.Create)
	undo.Undo = true
	res.Subresources = append(res.Subresources, undo)
	return err
}
