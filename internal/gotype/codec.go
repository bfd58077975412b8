package gotype

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	jsonv2 "github.com/go-json-experiment/json"
)

// Codecs converts documents to Go values and back without a JSON text in between. Its results match [codec.ToGo] and
// [codec.FromGo]. A part of a document goes through JSON text if its type encodes itself, or if Codecs does not support
// the type. If a document does not fit its type, the whole document goes through the text, so errors match those
// functions too.
//
// Codecs inspects a type once, when it meets the first value of the type. The zero Codecs is ready to use. Several
// goroutines may use it at once.
type Codecs struct {
	ready sync.Map // map[reflect.Type]*plan
	mu    sync.Mutex
	plans planner
}

// New returns a pointer to a new value of a type, with the content of v. Its errors are suitable for clients, see
// [DecodingError]. The value shares the strings of v.
func (c *Codecs) New(t reflect.Type, v doc.Value) (any, error) {
	value := reflect.New(t)
	return value.Interface(), c.read(v, value)
}

// ToGo stores a document in the Go value that into points to. Its errors are suitable for clients, see [DecodingError].
// The value shares the strings of v.
func (c *Codecs) ToGo(v doc.Value, into any) error {
	value := reflect.ValueOf(into)
	if value.Kind() != reflect.Pointer || value.IsNil() || !value.Elem().IsZero() { // encoding/json merges into what is there
		return ToGo(v, into)
	}
	return c.read(v, value)
}

// read stores a document in the zero value that into points to.
func (c *Codecs) read(v doc.Value, into reflect.Value) error {
	if c.planOf(into.Type().Elem()).read(v, into.Elem()) {
		return nil
	}
	into.Elem().SetZero()
	return ToGo(v, into.Interface())
}

// FromGo returns the document of the value that obj points to. Where the value equals near, both documents share
// memory, so the document of an unchanged value takes none. near may be absent.
func (c *Codecs) FromGo(obj any, near doc.Value) (doc.Value, error) {
	if value := reflect.ValueOf(obj); value.Kind() == reflect.Pointer && !value.IsNil() {
		if v, ok := c.planOf(value.Type().Elem()).write(value.Elem(), near, 0); ok {
			return v, nil
		}
	}
	return codec.FromGo(obj)
}

// planOf returns the plan of a type.
func (c *Codecs) planOf(t reflect.Type) *plan {
	if known, ok := c.ready.Load(t); ok {
		return known.(*plan)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans == nil {
		c.plans = planner{}
	}
	p := c.plans.of(t)
	c.ready.Store(t, p)
	return p
}

// plan says how to read and write the values of a type.
type plan struct {
	form   form
	typ    reflect.Type
	elem   *plan // the plan of a pointer's target, or of the elements of a list or map
	fields []plannedField
}

// plannedField is a field of a struct. A plan sorts its fields by name, like the members of a document.
type plannedField struct {
	name                string
	index               []int
	plan                *plan
	omitEmpty, omitZero bool
	tellsZero           bool // the type has a method IsZero
}

// form says how to read and write the values of a Go type.
type form uint8

const (
	// textForm is for types whose values go through JSON text.
	textForm form = iota
	// ownForm is for types that encode and decode themselves with MarshalJSON and UnmarshalJSON.
	ownForm
	timeForm // apimeta.Time, which occurs in every object
	structForm
	listForm
	textsForm // []string
	mapForm
	labelsForm // map[string]string
	pointerForm
	anyForm
	stringForm
	boolForm
	integerForm
	unsignedForm
	floatForm
)

// planner holds the plans by type. The plan of a recursive type refers to itself.
type planner map[reflect.Type]*plan

var (
	durationType = reflect.TypeFor[time.Duration]()
	ownTimeType  = reflect.TypeFor[apimeta.Time]()
	textsType    = reflect.TypeFor[[]string]()
	labelsType   = reflect.TypeFor[map[string]string]()
	zeroTeller   = reflect.TypeFor[interface{ IsZero() bool }]()

	// marshalers and unmarshalers are the interfaces of types that encode and decode themselves. Earlier interfaces
	// take precedence.
	marshalers = []reflect.Type{reflect.TypeFor[jsonv2.MarshalerTo](), reflect.TypeFor[json.Marshaler](),
		reflect.TypeFor[encoding.TextAppender](), reflect.TypeFor[encoding.TextMarshaler]()}
	unmarshalers = []reflect.Type{reflect.TypeFor[jsonv2.UnmarshalerFrom](), unmarshalerType, textUnmarshalerType}
)

// of returns the plan of a type. It stores the plan before it inspects the parts, because a type may contain itself.
func (m planner) of(t reflect.Type) *plan {
	if p := m[t]; p != nil {
		return p
	}
	p := &plan{typ: t}
	m[t] = p
	if own, ok := ownForms(t); ok {
		p.form = own
		return p
	}
	switch t.Kind() {
	case reflect.String:
		p.form = stringForm
	case reflect.Bool:
		p.form = boolForm
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.form = integerForm
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.form = unsignedForm
	case reflect.Float32, reflect.Float64:
		p.form = floatForm
	case reflect.Pointer:
		p.form, p.elem = pointerForm, m.of(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			p.form, p.elem = listForm, m.of(t.Elem())
		}
	case reflect.Map:
		if _, own := ownForms(t.Key()); !own && t.Key().Kind() == reflect.String && !needsAddress(t.Elem()) {
			p.form, p.elem = mapForm, m.of(t.Elem())
		}
	case reflect.Struct:
		p.fields = m.fields(t)
		if p.fields != nil {
			p.form = structForm
		}
	}
	return p
}

// ownForms returns the form of a type that has a special form or encodes itself.
func ownForms(t reflect.Type) (own form, ok bool) {
	switch t {
	case ownTimeType:
		return timeForm, true
	case textsType:
		return textsForm, true
	case labelsType:
		return labelsForm, true
	case anyType:
		return anyForm, true
	case durationType, numberType:
		return textForm, true
	}
	if t.Kind() == reflect.Pointer { // encoding/json looks for the methods of the pointer's target
		return textForm, false
	}
	p := reflect.PointerTo(t)
	writes, reads := slices.IndexFunc(marshalers, p.Implements), slices.IndexFunc(unmarshalers, p.Implements)
	if writes == 1 && reads == 1 {
		return ownForm, true
	}
	return textForm, writes >= 0 || reads >= 0
}

// fields returns the fields of a struct, or nil if its values must go through JSON text.
func (m planner) fields(t reflect.Type) []plannedField {
	found, err := Fields(t)
	if err != nil {
		return nil
	}
	fields := make([]plannedField, 0, len(found))
	for _, f := range found {
		if f.BehindPointer || !plainOptions(f.Go) || f.OmitZero && f.Go.Type.Kind() == reflect.Interface {
			return nil
		}
		fields = append(fields, plannedField{
			name: f.Name, index: f.Index, plan: m.of(f.Go.Type), omitEmpty: f.OmitEmpty, omitZero: f.OmitZero,
			tellsZero: f.Go.Type.Implements(zeroTeller) || reflect.PointerTo(f.Go.Type).Implements(zeroTeller),
		})
	}
	return fields
}

// plainOptions reports whether a plan supports all options in the tag of a field.
func plainOptions(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "", "omitempty", "omitzero", "inline":
		default:
			return false
		}
	}
	return true
}

// needsAddress reports whether a value of a type, or a part of it, encodes itself with a pointer method. Go does not
// call such a method for the values of a map.
func needsAddress(t reflect.Type) bool {
	byPointer := func(by reflect.Type) bool { return !t.Implements(by) && reflect.PointerTo(t).Implements(by) }
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return false
	case reflect.Array:
		if needsAddress(t.Elem()) {
			return true
		}
	case reflect.Struct:
		for f := range t.Fields() {
			if needsAddress(f.Type) {
				return true
			}
		}
	}
	return slices.ContainsFunc(marshalers, byPointer)
}
