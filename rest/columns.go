package rest

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/table"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
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

// column is a column of a resource's Tables: a place, or a function, or the name.
type column struct {
	apimeta.TableColumnDefinition
	cell    table.Column
	compute func(obj any) (any, error)
	isName  bool
	absent  any // the cell of a place where there is nothing
}

// isPath says that the column shows a place.
func (c column) isPath() bool { return c.compute == nil && !c.isName }

// value is what the column shows of an object; typed is the object in its Go type for a function.
func (c *column) value(v doc.Value, typed any, now time.Time) (any, error) {
	if c.isName {
		return objectmeta.NameOf(v), nil
	}
	if c.compute == nil {
		cell := c.cell.Cell(v, now)
		if cell == nil {
			cell = c.absent
		}
		return cell, nil
	}
	cell, err := c.compute(typed)
	if t, ok := cell.(time.Time); ok {
		return table.Since(t, now), err
	}
	return cell, err
}

// checkComputed says why a column of [ColumnFunc] does not fit the resource.
func (res *served) checkComputed(c Column) error {
	obj, err := res.GoType.FromDocument(doc.MapOf())
	if err != nil {
		return err
	}
	if have := reflect.TypeOf(obj).Elem(); have != c.of {
		return fmt.Errorf("its function takes a *%s, the kind is %s", c.of, have)
	}
	if c.Path != "" {
		return fmt.Errorf("it has a path, %q, and a function", c.Path)
	}
	return nil
}

// nameColumn is the column that every Table has.
const nameColumn = "Name"

// nameDescription is what API servers say of the column Name in every Table.
const nameDescription = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client " +
	"to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration " +
	"definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

// creationDescription is what they say of the column Created At, and of Age where they add it.
const creationDescription = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to " +
	"be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\n" +
	"Populated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

// addColumns parses the columns that a version declares, or else those of the stored version that fit it.
func (res *served) addColumns(stored *served) error {
	columns := res.declared
	if len(columns) == 0 && stored != nil {
		columns = res.fitting(stored.declared)
	}
	if len(columns) == 0 && res.Dialect.AgeColumn {
		columns = []Column{{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp",
			Description: creationDescription}}
	}
	var err error
	if res.columns, err = res.parseColumns(columns, res.Schema); err != nil || len(columns) > 0 {
		return err
	}
	path, err := table.ParsePath(".metadata.creationTimestamp")
	if err != nil {
		return err
	}
	// A date by its type, whose cell is the time itself.
	res.columns = append(res.columns, column{cell: table.Column{Path: path, Type: table.StringType}, absent: time.Time{}.Format(time.RFC3339), TableColumnDefinition: apimeta.TableColumnDefinition{
		Name: "Created At", Type: table.DateType, Description: creationDescription}})
	return nil
}

// fitting returns those columns of the stored version whose path leads to values of the same type in this version, too. A
// function takes the Go type of its own version.
func (res *served) fitting(columns []Column) (fit []Column) {
	for _, c := range columns {
		path, err := table.ParsePath(c.Path)
		if err != nil { // of a function
			continue
		}
		there, errThere := placeIn(res.Stored.Schema, path)
		here, errHere := placeIn(res.Schema, path)
		if errThere == nil && errHere == nil && there != nil && here != nil && slices.Equal(there.Types(), here.Types()) {
			fit = append(fit, c)
		}
	}
	return fit
}

// placeIn returns the schema of what a path leads to in the objects of a schema, nil if the schema does not say. Every object
// has all of the metadata, also if its Go type knows only some of it.
func placeIn(s *schema.Schema, path table.Path) (*schema.Schema, error) {
	found, err := path.In(s)
	if err == nil {
		return found, nil
	}
	common, failed := schema.Derive(reflect.TypeFor[apimeta.PartialObjectMetadata](), schema.Options{})
	if failed != nil {
		return nil, failed
	}
	if found, failed = path.In(common); failed == nil {
		return found, nil
	}
	return nil, err
}

// parseColumns makes columns, after that of the name, of what a host declares for objects of a schema.
func (res *served) parseColumns(columns []Column, s *schema.Schema) ([]column, error) {
	var out []column
	if !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == nameColumn }) {
		out = append(out, column{isName: true, TableColumnDefinition: apimeta.TableColumnDefinition{Name: nameColumn, Type: table.StringType, Format: "name",
			Description: nameDescription}})
	}
	for _, c := range columns {
		if c.Name == "" {
			return nil, fmt.Errorf("a column has no name")
		}
		var path table.Path
		if c.compute == nil {
			var err error
			if path, err = table.ParsePath(c.Path); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
			if _, err = placeIn(s, path); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		} else if err := res.checkComputed(c); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		if c.Type == "" {
			c.Type = "string"
		}
		if !table.IsType(c.Type) {
			return nil, fmt.Errorf("column %q: type %q is none of string, integer, number, boolean, date", c.Name, c.Type)
		}
		if c.Description == "" && c.compute == nil {
			c.Description = "Custom resource definition column (in JSONPath format): " + c.Path
		}
		out = append(out, column{cell: table.Column{Path: path, Type: c.Type}, compute: c.compute, TableColumnDefinition: apimeta.TableColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority}})
	}
	return out, nil
}

// scaleColumns are the columns of a Scale, in which a count of 0 is left out.
func (res *served) scaleColumns(scale *schema.Schema) ([]column, error) {
	columns, err := res.parseColumns([]Column{
		{Name: "Desired", Type: "integer", Path: ".spec.replicas", Description: "Number of desired replicas"},
		{Name: "Available", Type: "integer", Path: ".status.replicas", Description: "Number of actual replicas"},
		{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp", Description: creationDescription},
	}, scale)
	for i := range columns {
		if columns[i].Type == table.IntegerType {
			columns[i].absent = int64(0)
		}
	}
	return columns, err
}
