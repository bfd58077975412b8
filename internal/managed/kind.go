package managed

import (
	"fmt"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Part is the part of an object whose fields a write can own.
type Part int

const (
	// Main is everything except the status.
	Main Part = iota
	// Status is the status alone.
	Status
	// StatusAndMetadata is the status and the metadata.
	StatusAndMetadata
	// Whole is everything, for a kind without a status subresource.
	Whole
)

// Kind keeps the managedFields of the objects of one kind in one version. Use [NewKind] to create one. It is safe for
// concurrent use.
type Kind struct {
	schema     *schema.Schema
	gvk        apimeta.GroupVersionKind
	apiVersion string
	empty      doc.Value
	convert    Converter
	typed      func() typed.ParseableType // created by the first of the few writes that need it
}

// Converter converts an object of any version of a kind to the version apiVersion, and returns the Kind of that
// version.
type Converter func(obj doc.Value, apiVersion string) (doc.Value, *Kind, error)

// NewKind returns a Kind. empty is the empty object of the kind: its fields have no owner in a new object.
//
// convert converts an object to the version in which another manager has written, and returns the Kind of that version,
// or nil if the kind is not served in it. A nil convert suits a kind with one version.
func NewKind(s *schema.Schema, gvk apimeta.GroupVersionKind, empty doc.Value, convert Converter) *Kind {
	return &Kind{schema: s, gvk: gvk, apiVersion: gvk.GroupVersion().String(), empty: empty, convert: convert,
		typed: sync.OnceValue(func() typed.ParseableType { return typeOf(s) })}
}

// Writer says who writes, through which subresource, and when.
type Writer struct {
	// Manager is the name of the manager. Empty means "unknown".
	Manager string
	// Subresource is the subresource that receives the write. It is empty for the object itself.
	Subresource string
	// Through is the version of the subresource's kind, if it has a kind of its own. Conflicts name that version.
	Through string
	// Time is the present time, in RFC 3339 and UTC. If it is empty, the writer's entries have no time.
	Time string
	// Part is the part of the object that the write can reach.
	Part Part
	// Unowned are paths of fields that the writer cannot own, although they belong to Part.
	Unowned [][]string
}

const unknownManager = "unknown"

func (w Writer) name() string {
	if w.Manager == "" {
		return unknownManager
	}
	return w.Manager
}

// of returns an object as a typed value. It accepts repeated elements in lists whose elements should be unique, because
// such objects are stored.
func (k *Kind) of(obj doc.Value) (*typed.TypedValue, error) {
	return k.typeValue(obj, typed.AllowDuplicates)
}

// maxElements bounds how many elements with owners of their own a list may have, and maxMembers how many members a map
// may have: the time of structured-merge-diff grows with the square of their number. It also grows with the total
// length of all paths, which maxSteps bounds. An object of 3 MiB with ordinary nesting has half as many steps.
const (
	maxElements = 10_000
	maxMembers  = 50_000
	maxSteps    = 5_000_000
)

func (k *Kind) typeValue(obj doc.Value, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if left := maxSteps; longer(k.schema, obj, 1, &left) {
		return nil, status.RequestEntityTooLarge(fmt.Sprintf("limit of separately owned values is %d in a list, %d in a map and %d steps in all paths", maxElements, maxMembers, maxSteps))
	}
	t := k.typed()
	return typed.AsTyped(valueOf(obj), t.Schema, t.TypeRef, options...)
}

// longer reports whether a list or map in v exceeds maxElements or maxMembers, or whether the paths in v have more
// steps than are left. depth is the number of steps from the object to v.
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

// updater returns structured-merge-diff's updater for the writes of a writer.
func (k *Kind) updater(by Writer) *merge.Updater {
	unowned := fieldpath.NewSet()
	for _, path := range by.Unowned {
		unowned.Insert(pathOf(path))
	}
	filter := fieldpath.NewExcludeSetFilter(unowned)
	switch by.Part {
	case Main:
		unowned.Insert(fieldpath.MakePathOrDie("status"))
	case Status:
		filter = fieldpath.NewIncludeMatcherFilter(fieldpath.MakePrefixMatcherOrDie("status"))
	case StatusAndMetadata:
		unowned.Insert(fieldpath.MakePathOrDie("spec"))
	}
	builder := merge.UpdaterBuilder{Converter: versions{k}}
	if by.Part == Status || !unowned.Empty() {
		builder.IgnoreFilter = map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(k.apiVersion): filter}
	}
	return builder.BuildUpdater()
}

// pathOf returns the path of a field from the names on the way to it.
func pathOf(names []string) (path fieldpath.Path) {
	for _, name := range names {
		path = append(path, fieldpath.FieldNameElement(name))
	}
	return path
}

// unowned holds the fields that no manager owns: the server sets them, or they identify the object.
var unowned = sync.OnceValue(func() *fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"),
		fieldpath.MakePathOrDie("metadata"))
	for _, field := range systemFields {
		set.Insert(fieldpath.MakePathOrDie("metadata", field))
	}
	return set
})

// Unowned reports whether no manager owns a member of metadata.
func Unowned(field string) bool { return slices.Contains(systemFields[:], field) }

// systemFields are the members of metadata that no manager owns, sorted. clusterName is a field of earlier versions.
var systemFields = [...]string{"clusterName", "creationTimestamp", "generation", "managedFields", "name", "namespace",
	"resourceVersion", "selfLink", "uid"}

// withoutEntries returns the object without its managedFields.
func withoutEntries(obj doc.Value) doc.Value {
	if m := obj.Get("metadata"); m.Has("managedFields") {
		return obj.With("metadata", m.Without("managedFields"))
	}
	return obj
}
