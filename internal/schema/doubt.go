package schema

import (
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// Field identifies a field of a Go struct, at whatever places in a document the struct occurs.
type Field struct{ field *shapeField }

// DoubtfulZeros returns the fields that are absent from v, the JSON of a Go value, although they may have been set to
// zero: Go omits their zero, and a default would then replace it. Each field is listed once.
func (w View) DoubtfulZeros(v doc.Value) []Field {
	d := &doubt{}
	merger{zeros: ZerosOverDefaults, doubt: d}.fresh(w.schema, w.shape, v)
	return d.found
}

// WithZeros returns v with zeros for those of the fields that Go has omitted and that a default would replace.
func (w View) WithZeros(v doc.Value, fields []Field) doc.Value {
	return merger{zeros: ZerosOverDefaults, doubt: &doubt{meant: fields}}.fresh(w.schema, w.shape, v)
}

// doubt selects among the zeros that Go has omitted.
type doubt struct{ found, meant []Field }

// means reports whether to write a zero, and remembers the field.
func (d *doubt) means(f *shapeField, zero doc.Value) bool {
	if d == nil {
		return true
	}
	if !slices.Contains(d.found, Field{f}) {
		d.found = append(d.found, Field{f})
	}
	return slices.Contains(d.meant, Field{f}) || f.isStruct() && zero.Len() > 0
}
