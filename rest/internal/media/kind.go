package media

import (
	"cmp"
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/storage"
)

// Kind is what this package knows about a kind in one version: its names, its Protobuf message, the columns of its
// Tables, the rest of its bookmarks, and the encodings that its watches share. A subresource with its own kind has a
// Kind as well. So has a document of discovery, with fewer fields.
type Kind struct {
	// Message encodes the Protobuf message. It is nil for a kind without one.
	Message Message

	names        *kind.Kind // nil for a document of discovery
	dialect      upstream.Dialect
	declared     []Column     // the columns that the host has declared
	columns      []column     // nil if the kind has no Tables
	cellParts    *codec.Parts // what the columns need of an object
	goType       GoType
	show         func(context.Context, *storage.Record) (*storage.Record, error)
	converts     bool // whether show converts records, which are stored in another version
	now          func() time.Time
	encodings    *encodings
	serial       int64 // identifies the kind; 0 for a kind without lists
	bookmarkRest []byte
}

// serials counts the kinds.
var serials atomic.Int64

// Declaration is what [NewKind] builds a Kind from.
type Declaration struct {
	Kind    *kind.Kind
	Dialect upstream.Dialect
	Message Message // nil for a kind without one
	Columns []Column
	GoType  GoType
	// Empty is what a bookmark shows of an object: in a built-in kind, the fields that Go writes even if nothing is set.
	Empty doc.Value
	// Show returns a stored record in the version of the kind.
	Show func(context.Context, *storage.Record) (*storage.Record, error)
	Now  func() time.Time
	// Stored is the stored version, or nil if it is this one.
	Stored *Kind
}

// GoType reads objects into the Go type of the kind.
type GoType interface {
	Decode(json []byte) (any, error)
	ObjectType() reflect.Type
}

// NewKind builds a Kind. It returns an error if a column does not fit the kind.
func NewKind(d Declaration) (*Kind, error) {
	k := &Kind{names: d.Kind, dialect: d.Dialect, Message: d.Message, declared: d.Columns, goType: d.GoType,
		show: d.Show, converts: d.Stored != nil, now: d.Now, encodings: &encodings{}, serial: serials.Add(1)}
	var err error
	if k.columns, err = k.columnsOf(d.Stored); err != nil {
		return nil, err
	}
	k.cellParts = partsOf(k.columns)
	k.bookmarkRest = afterMetadata(d.Empty)
	return k, nil
}

// Scale returns the Kind of the subresource /scale, which has this schema.
func (k *Kind) Scale(scale *schema.Schema) (*Kind, error) {
	columns, err := k.scaleColumns(scale)
	return &Kind{names: k.names, dialect: k.dialect, Message: Described(codec.ScaleMessage()), columns: columns,
		cellParts: partsOf(columns), now: k.now}, err
}

// OfSubresource returns the Kind of a subresource that the host declared. message is nil if it has no message.
func OfSubresource(parent *kind.Kind, dialect upstream.Dialect, message Message) *Kind {
	return &Kind{names: parent, dialect: dialect, Message: message}
}

// OfDocument returns the Kind of a document of discovery. refusedByRoute says that its route refuses media types, like
// the route of a built-in kind.
func OfDocument(message *codec.Message, refusedByRoute bool) *Kind {
	return &Kind{dialect: upstream.Dialect{MediaRefusedByRoute: refusedByRoute}, Message: Described(message)}
}

// goName returns the Go type of an object, or of a list, as upstream's errors name it.
func (k *Kind) goName(list bool) string {
	switch {
	case k.dialect.UnstructuredNames && list:
		return "*unstructured.UnstructuredList"
	case k.dialect.UnstructuredNames:
		return "*unstructured.Unstructured"
	}
	group, _, _ := strings.Cut(cmp.Or(k.names.Group, "core"), ".")
	name := k.names.Kind
	if list {
		name = k.names.ListKind
	}
	return "*" + group + "." + name
}
