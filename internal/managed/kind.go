package managed

import (
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Part is what of an object a write can own fields of.
type Part int

const (
	// Main is all but the status.
	Main Part = iota
	// Status is the status alone.
	Status
	// StatusAndMetadata is the status, and the metadata with it.
	StatusAndMetadata
	// Whole is everything, for a kind without a status of its own.
	Whole
)

// Kind keeps the managedFields of the objects of one kind in one version. It is made by [NewKind] and safe for
// concurrent use.
type Kind struct {
	schema     *schema.Schema
	gvk        apimeta.GroupVersionKind
	apiVersion string
	empty      doc.Value
	convert    Converter
	typed      func() typed.ParseableType // needed by few writes, and made for the first one
}

// Converter brings an object of any version of a kind into the one of that apiVersion.
type Converter func(obj doc.Value, apiVersion string) (doc.Value, *Kind, error)

// NewKind returns the keeper of a kind. Empty is an object of the kind with nothing in it: what is in there has no owner
// in a new object.
//
// Convert brings an object into the version in which another manager has written, and returns the keeper of that version,
// nil where there is none. A nil function is that of a kind with one version.
func NewKind(s *schema.Schema, gvk apimeta.GroupVersionKind, empty doc.Value, convert Converter) *Kind {
	return &Kind{schema: s, gvk: gvk, apiVersion: gvk.GroupVersion().String(), empty: empty, convert: convert,
		typed: sync.OnceValue(func() typed.ParseableType { return typeOf(s) })}
}

// Writer is who writes, through what and when.
type Writer struct {
	// Manager is the name of the manager; an empty one counts as "unknown".
	Manager string
	// Subresource is what the write goes through; empty for the object itself.
	Subresource string
	// Through is the version of the subresource's kind, where it has one of its own: conflicts name that.
	Through string
	// Time is now, in RFC 3339 and UTC; the entries of who has none have no time.
	Time string
	// Part is what of the object the write can reach.
	Part Part
}

const unknownManager = "unknown"

func (w Writer) name() string {
	if w.Manager == "" {
		return unknownManager
	}
	return w.Manager
}

// of types an object. Lists whose elements should be different may repeat them: such objects are stored.
func (k *Kind) of(obj doc.Value) (*typed.TypedValue, error) {
	return k.typeValue(obj, typed.AllowDuplicates)
}

// maxElements is how many elements with owners of their own a list may have, and maxMembers how many members a map: the time
// that the arithmetic takes grows with the square of their number. It also grows with the lengths of all paths together, which
// may have maxSteps; an object of 3 MiB that is not nested absurdly has half as many.
const (
	maxElements = 10_000
	maxMembers  = 50_000
	maxSteps    = 5_000_000
)

func (k *Kind) typeValue(obj doc.Value, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if left := maxSteps; longer(k.schema, obj, 1, &left) {
		return nil, status.RequestEntityTooLarge(fmt.Sprintf("limit of values with owners of their own is %d in a list, %d in a map and %d steps to all of them", maxElements, maxMembers, maxSteps))
	}
	t := k.typed()
	return typed.AsTyped(valueOf(obj), t.Schema, t.TypeRef, options...)
}

// longer reports whether a list or map in v has more values with owners of their own than it may, or whether the paths to all
// of them have more steps than are left. v is so many steps below the object.
func longer(s *schema.Schema, v doc.Value, depth int, left *int) bool {
	how := relation(s, v)
	*left -= depth
	switch {
	case *left < 0:
		return true
	case how == whole:
		return false
	case how == byMember && v.Len() > maxMembers, how != byMember && v.Len() > maxElements:
		return true
	case how == byValue:
		return false
	}
	for i := range v.Len() {
		var below *schema.Schema
		if how == byMember {
			below = memberOf(s, v.KeyAt(i))
		} else {
			below = s.Items
		}
		if longer(below, v.At(i), depth+1, left) {
			return true
		}
	}
	return false
}

// updater returns the arithmetic for writes to a part.
func (k *Kind) updater(part Part) *merge.Updater {
	builder := merge.UpdaterBuilder{Converter: versions{k}}
	ofStatus := fieldpath.MakePathOrDie("status")
	version := fieldpath.APIVersion(k.apiVersion)
	switch part {
	case Main:
		builder.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{version: fieldpath.NewExcludeSetFilter(fieldpath.NewSet(ofStatus))}
	case Status:
		builder.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{version: fieldpath.NewIncludeMatcherFilter(fieldpath.MakePrefixMatcherOrDie("status"))}
	case StatusAndMetadata:
		builder.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{version: fieldpath.NewExcludeSetFilter(fieldpath.NewSet(fieldpath.MakePathOrDie("spec")))}
	}
	return builder.BuildUpdater()
}

// unowned are the fields that belong to nobody: the server sets them, or they say which object this is.
var unowned = sync.OnceValue(func() *fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"))
	for _, field := range systemFields {
		set.Insert(fieldpath.MakePathOrDie("metadata", field))
	}
	return set
})

// systemFields are the members of metadata that belong to nobody, sorted.
var systemFields = [...]string{"clusterName", "creationTimestamp", "generation", "managedFields", "name", "namespace",
	"resourceVersion", "selfLink", "uid"}

// withoutEntries returns the object without its managedFields, whose own fields nobody owns.
func withoutEntries(obj doc.Value) doc.Value {
	if m := obj.Get("metadata"); m.Has("managedFields") {
		return obj.With("metadata", m.Without("managedFields"))
	}
	return obj
}
