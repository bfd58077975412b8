package rest

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// ColumnFunc returns the column c with cells that a function computes, for values that no path leads to: "2/3" from two
// counts, or one word for many conditions. T is the Go type of the resource. c has no Path.
//
// cell returns a string, a boolean, a number, a time.Time, which is printed as the time since then, or nil for an empty
// cell. It runs once for each row, in many requests at once, and must not change the object. A panic is answered with
// 500.
func ColumnFunc[T any](c Column, cell func(obj *T) any) Column {
	c.of, c.compute = reflect.TypeFor[*T]().Elem(), computing(cell)
	return c
}

// computing returns a function of the host on the pointer P.
func computing[P any](cell func(obj P) any) func(obj any) (any, error) {
	return func(obj any) (value any, err error) {
		defer resource.RecoverHook("ColumnFunc", &err)
		return cell(obj.(P)), nil
	}
}

// shownColumns translates columns for package media.
func shownColumns(columns []Column) (shown []media.Column) {
	for _, c := range columns {
		shown = append(shown, media.Column{Path: c.Path, Compute: c.compute, Of: c.of,
			TableColumnDefinition: apimeta.TableColumnDefinition{
				Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority}})
	}
	return shown
}
