package k8s

import (
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// column is a column of kubectl get. It computes the same cells as Kubernetes, from a pointer to an object of any
// version of the kind.
type column struct {
	rest.Column
	cell func(obj any) any
}

// columnsOf returns the columns for the version T of their kind.
func columnsOf[T any](columns []column) []rest.Column {
	var out []rest.Column
	for _, c := range columns {
		out = append(out, rest.ColumnFunc(c.Column, func(obj *T) any { return c.cell(obj) }))
	}
	return out
}

// text returns a column whose cells are computed from V, the version of the kind that has all fields of the column.
func text[V any](name, description string, cell func(obj *V) any) column {
	return column{rest.Column{Name: name, Type: "string", Description: description},
		func(obj any) any { return cell(as[V](obj)) }}
}

// number returns a column of whole numbers.
func number[V any](name, description string, cell func(obj *V) any) column {
	c := text(name, description, cell)
	c.Type = "integer"
	return c
}

// flag returns a column of booleans.
func flag[V any](name, description string, cell func(obj *V) any) column {
	c := text(name, description, cell)
	c.Type = "boolean"
	return c
}

// wide returns a column that only kubectl get -o wide shows.
func wide(c column) column {
	c.Priority = 1
	return c
}

// nameColumn returns a column that replaces the name column with which every table begins.
func nameColumn[V any](cell func(obj *V) any) column {
	c := text("Name", documented[metav1.ObjectMeta]("name"), cell)
	c.Format = "name"
	return c
}

// age returns the column of ages, which most tables have.
func age() column {
	return text("Age", documented[metav1.ObjectMeta]("creationTimestamp"), func(m *metav1.PartialObjectMetadata) any {
		return m.CreationTimestamp.Time
	})
}

// as returns an object in another version of its kind, with the fields that have the same names in both.
func as[V any](obj any) *V {
	if v, ok := obj.(*V); ok {
		return v
	}
	v := new(V)
	if m, ok := any(v).(*metav1.PartialObjectMetadata); ok { // V is the metadata, which every object has
		m.ObjectMeta = *reflect.ValueOf(obj).Elem().FieldByName("ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
		return v
	}
	if encoded, err := json.Marshal(obj); err == nil {
		_ = json.Unmarshal(encoded, v) // a field with another type is left out
	}
	return v
}

// documented returns the description of a field from the k8s.io/api with which the program is built.
func documented[V interface{ SwaggerDoc() map[string]string }](field string) string {
	var v V
	return v.SwaggerDoc()[field]
}

// Cells that have nothing to show.
const (
	none    = "<none>"
	unknown = "<unknown>"
	unset   = "<unset>"
)

// given returns the value to which a pointer points, or nothing if the pointer is nil.
func given[V any](p *V, nothing V) V {
	if p == nil {
		return nothing
	}
	return *p
}

// deleting reports whether an object is being deleted.
func deleting(obj metav1.Object) bool { return obj.GetDeletionTimestamp() != nil }
