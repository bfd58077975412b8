package media

import (
	"cmp"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/upstream"
	"github.com/decorum-go/decorum/storage"
)

// Kind is what answers need to know of the kind of their objects, in one version: its names, its Protobuf message, the columns
// of its Tables, what a bookmark has, and the last encodings that watches share. A subresource with a kind of its own has one
// too, and so has a document of discovery, which knows less.
type Kind struct {
	// Message reads and writes the Protobuf message. It is nil for a kind without one.
	Message Message

	names        *kind.Kind // nil for a document
	dialect      upstream.Dialect
	declared     []Column // as they were declared
	columns      []column // nil if there are no Tables
	goType       GoType
	show         func(*storage.Record) (*storage.Record, error)
	now          func() time.Time
	encodings    *encodings
	bookmarkRest []byte
}

// Declaration is what a Kind is made of.
type Declaration struct {
	Kind    *kind.Kind
	Dialect upstream.Dialect
	Message Message // nil for a kind without one
	Columns []Column
	GoType  GoType
	// Show returns a stored record as the version shows it.
	Show func(*storage.Record) (*storage.Record, error)
	Now  func() time.Time
	// Stored is the version in which the objects are stored, nil if it is this one.
	Stored *Kind
}

// GoType makes objects of the kind in their Go type.
type GoType interface {
	Decode(json []byte) (any, error)
	FromDocument(v doc.Value) (any, error)
	ToDocument(obj any) (doc.Value, error)
}

// NewKind makes a Kind. It returns an error if a column does not fit.
func NewKind(d Declaration) (*Kind, error) {
	k := &Kind{names: d.Kind, dialect: d.Dialect, Message: d.Message, declared: d.Columns, goType: d.GoType, show: d.Show, now: d.Now, encodings: &encodings{}}
	var err error
	if k.columns, err = k.columnsOf(d.Stored); err != nil {
		return nil, err
	}
	k.bookmarkRest, err = k.afterMetadata()
	return k, err
}

// Scale returns the kind of the subresource /scale, which is described by a schema.
func (k *Kind) Scale(scale *schema.Schema) (*Kind, error) {
	columns, err := k.scaleColumns(scale)
	return &Kind{names: k.names, dialect: k.dialect, Message: Described(codec.ScaleMessage()), columns: columns, now: k.now}, err
}

// OfSubresource returns the kind of a subresource that a host has declared. message is nil if it has none.
func OfSubresource(parent *kind.Kind, dialect upstream.Dialect, message Message) *Kind {
	return &Kind{names: parent, dialect: dialect, Message: message}
}

// OfDocument returns the kind of a document of discovery. refusedByRoute says that its route refuses media types, as that of a
// built-in kind does.
func OfDocument(message *codec.Message, refusedByRoute bool) *Kind {
	return &Kind{dialect: upstream.Dialect{MediaRefusedByRoute: refusedByRoute}, Message: Described(message)}
}

// goName is the Go type of an object, or of a list, as errors name it.
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
