package schema

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
)

// Types remembers what it has found out about Go types, and the schemas that it has derived from them. Kinds have many
// types in common, and several APIs of one process may serve the same kinds. The zero value has nothing to remember
// yet. Any goroutine may use it.
//
// Everything that it returns depends on its arguments alone, so users of one Types notice nothing of each other.
type Types struct {
	codecs   gotype.Codecs
	facts    sync.Map // map[reflect.Type]*facts
	written  sync.Map // map[reflect.Type]doc.Value
	messages sync.Map // map[reflect.Type]*codec.Message
	mu       sync.Mutex
	derived  map[derivedKey][]*derivation
	shapes   map[reflect.Type]*Shape
}

// derivedKey and the overlay of a derivation are what a schema depends on.
type derivedKey struct {
	root        reflect.Type
	builtin     bool
	description string
}

// derivation derives a schema when the first user needs it.
type derivation struct {
	overlay map[string]string
	schema  func() (*Schema, error)
}

// Derive is [Derive], and returns the same schema for the same arguments. It does not remember schemas with rules.
func (m *Types) Derive(t reflect.Type, options Options) (*Schema, error) {
	switch {
	case t == nil:
		return nil, errors.New("schema: Derive needs a type")
	case len(options.Rules) > 0:
		return m.derive(t, options)
	}
	return m.derivation(t, options).schema()
}

func (m *Types) derivation(t reflect.Type, options Options) *derivation {
	key := derivedKey{root: t, builtin: options.Builtin, description: options.Description}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, known := range m.derived[key] {
		if maps.Equal(known.overlay, options.Overlay) {
			return known
		}
	}
	options.Overlay = maps.Clone(options.Overlay) // the caller may change it
	next := &derivation{overlay: options.Overlay,
		schema: sync.OnceValues(func() (*Schema, error) { return m.derive(t, options) })}
	if m.derived == nil {
		m.derived = map[derivedKey][]*derivation{}
	}
	m.derived[key] = append(m.derived[key], next)
	return next
}

// ShapeOf returns the shape of a type for which [Types.Derive] has succeeded.
func (m *Types) ShapeOf(t reflect.Type) *Shape {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shapes == nil {
		m.shapes = map[reflect.Type]*Shape{}
	}
	return shapes{m, m.shapes}.of(t)
}

// New calls [gotype.Codecs.New].
func (m *Types) New(t reflect.Type, v doc.Value) (any, error) { return m.codecs.New(t, v) }

// ToGo calls [gotype.Codecs.ToGo].
func (m *Types) ToGo(v doc.Value, into any) error { return m.codecs.ToGo(v, into) }

// FromGo calls [gotype.Codecs.FromGo].
func (m *Types) FromGo(obj any, near doc.Value) (doc.Value, error) { return m.codecs.FromGo(obj, near) }

// Written returns what Go writes for the zero value of a type.
func (m *Types) Written(t reflect.Type) (doc.Value, error) {
	if known, ok := m.written.Load(t); ok {
		return known.(doc.Value), nil
	}
	v, err := codec.FromGo(reflect.New(t).Interface())
	if err == nil {
		m.written.Store(t, v)
	}
	return v, err
}

// MessageOf is [codec.MessageOf], and returns the same message for the same type.
func (m *Types) MessageOf(t reflect.Type) (*codec.Message, error) {
	if known, ok := m.messages.Load(t); ok {
		return known.(*codec.Message), nil
	}
	message, err := codec.MessageOf(t)
	if err == nil {
		m.messages.Store(t, message)
	}
	return message, err
}

// facts are what schemas and shapes need to know about one type. They never change.
type facts struct {
	name, short string // typeName, and the name without the import path
	// ownEncoding says that the type encodes itself, so that [leaf] returns a schema or an error.
	ownEncoding bool
	// fields are the members of a struct, and fault is why encoding/json refuses the struct.
	fields []gotype.Field
	fault  error
	// docs documents the members of a struct by their names, and description the struct.
	docs        map[string]string
	description string
}

// of returns the facts about a type.
func (m *Types) of(t reflect.Type) *facts {
	if known, ok := m.facts.Load(t); ok {
		return known.(*facts)
	}
	f := &facts{name: typeName(t), short: t.Name()}
	own, err := leaf(t)
	if f.ownEncoding = own != nil || err != nil; t.Kind() == reflect.Struct {
		f.docs, f.description = describe(t)
		f.fields, f.fault = gotype.Fields(t)
		f.fields = slices.Clip(f.fields)
	}
	known, _ := m.facts.LoadOrStore(t, f)
	return known.(*facts)
}
