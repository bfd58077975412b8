package rest

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// ColumnFunc is a column whose cells a function computes where no path leads to what a person wants to see: "2/3" of two
// counts, or one word for many conditions. T is the Go type of the resource. The column has no Path.
//
// The function returns a string, a boolean, a number, a time.Time, which is printed as the time since then, or nil for an
// empty cell. It is called once for each row, by many requests at once, and must not change the object; a panic is 500.
func ColumnFunc[T any](c Column, cell func(obj *T) any) Column {
	c.of = reflect.TypeFor[T]()
	c.compute = func(obj any) (value any, err error) {
		defer resource.RecoverHook("ColumnFunc", &err)
		return cell(obj.(*T)), nil
	}
	return c
}

// shownColumns are columns as Tables show them.
func shownColumns(columns []Column) (shown []media.Column) {
	for _, c := range columns {
		shown = append(shown, media.Column{Path: c.Path, Compute: c.compute, Of: c.of, TableColumnDefinition: apimeta.TableColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority}})
	}
	return shown
}
