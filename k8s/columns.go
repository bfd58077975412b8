package k8s

import (
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// column is a column of kubectl get. Its cells are those that Kubernetes computes, of a pointer to an object of any version
// of the kind.
type column struct {
	rest.Column
	cell func(obj any) any
}

// columnsOf are the columns for a version of their kind.
func columnsOf[T any](columns []column) []rest.Column {
	var out []rest.Column
	for _, c := range columns {
		out = append(out, rest.ColumnFunc(c.Column, func(obj *T) any { return c.cell(obj) }))
	}
	return out
}

// text is a column whose cells are computed of V, the version of the kind that has all that the column shows.
func text[V any](name, description string, cell func(obj *V) any) column {
	return column{rest.Column{Name: name, Type: "string", Description: description}, func(obj any) any { return cell(as[V](obj)) }}
}

// number is a column of whole numbers.
func number[V any](name, description string, cell func(obj *V) any) column {
	c := text(name, description, cell)
	c.Type = "integer"
	return c
}

// flag is a column that says whether something holds.
func flag[V any](name, description string, cell func(obj *V) any) column {
	c := text(name, description, cell)
	c.Type = "boolean"
	return c
}

// wide shows a column only where kubectl get is given -o wide.
func wide(c column) column {
	c.Priority = 1
	return c
}

// nameColumn is a column of names in the place of the one that every table begins with.
func nameColumn[V any](cell func(obj *V) any) column {
	c := text("Name", documented[metav1.ObjectMeta]("name"), cell)
	c.Format = "name"
	return c
}

// age is the column that most tables have.
func age() column {
	return text("Age", documented[metav1.ObjectMeta]("creationTimestamp"), func(m *metav1.PartialObjectMetadata) any {
		return m.CreationTimestamp.Time
	})
}

// as is an object as another version of its kind has it: with the fields that have the same names in both.
func as[V any](obj any) *V {
	if v, ok := obj.(*V); ok {
		return v
	}
	v := new(V)
	if m, ok := any(v).(*metav1.PartialObjectMetadata); ok { // which every object is
		m.ObjectMeta = *reflect.ValueOf(obj).Elem().FieldByName("ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
		return v
	}
	if encoded, err := json.Marshal(obj); err == nil {
		_ = json.Unmarshal(encoded, v) // a field that has become something else is left out
	}
	return v
}

// documented is what Kubernetes says of a field, in the words of the k8s.io/api that the program is built with.
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

// given is what a pointer points to, or else what stands for nothing.
func given[V any](p *V, nothing V) V {
	if p == nil {
		return nothing
	}
	return *p
}

// deleting says that somebody has asked for the deletion of an object.
func deleting(obj metav1.Object) bool { return obj.GetDeletionTimestamp() != nil }
