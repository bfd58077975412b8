package media

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/table"
)

// Column is a column of a kind's Tables as the host declares it: with a path, or with a function that computes the
// cells.
type Column struct {
	apimeta.TableColumnDefinition
	Path string
	// Compute returns the cell of an object, given in its Go type Of. It is nil for a column with a path.
	Compute func(obj any) (any, error)
	Of      reflect.Type
}

// nameColumn is the name of the column that every Table has.
const nameColumn = "Name"

// nameDescription is upstream's description of the column Name.
const nameDescription = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client " +
	"to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration " +
	"definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"

// creationPath is the path of an object's creation time.
const creationPath = ".metadata.creationTimestamp"

// columnsOf returns the columns of a kind: those that it declares, otherwise those of the stored version that fit it,
// otherwise the creation time.
func (k *Kind) columnsOf(stored *Kind) ([]column, error) {
	declared := k.declared
	if len(declared) == 0 && stored != nil {
		declared = k.fitting(stored)
	}
	if len(declared) == 0 && k.dialect.AgeColumn {
		declared = []Column{pathColumn("Age", table.DateType, creationPath, table.CreationDescription)}
	}
	columns, err := k.parseColumns(declared, k.names.Schema)
	if err != nil || len(declared) > 0 {
		return columns, err
	}
	path, err := table.ParsePath(creationPath)
	if err != nil {
		return nil, err
	}
	// The column has the type date, but its cells show the time itself and not an age.
	return append(columns, column{cell: table.Column{Path: path, Type: table.StringType},
		absent: time.Time{}.Format(time.RFC3339),
		TableColumnDefinition: apimeta.TableColumnDefinition{Name: "Created At", Type: table.DateType,
			Description: table.CreationDescription}}), nil
}

// pathColumn returns a column with a path.
func pathColumn(name, typ, path, description string) Column {
	return Column{TableColumnDefinition: apimeta.TableColumnDefinition{Name: name, Type: typ, Description: description},
		Path: path}
}

// fitting returns the columns of the stored version whose path leads to values of the same type in this version.
// Columns with a function do not fit, because the function takes the Go type of the stored version.
func (k *Kind) fitting(stored *Kind) (fit []Column) {
	for _, c := range stored.declared {
		path, err := table.ParsePath(c.Path)
		if err != nil { // a column with a function has no path
			continue
		}
		there, errThere := placeIn(stored.names.Schema, path)
		here, errHere := placeIn(k.names.Schema, path)
		if errThere == nil && errHere == nil && there != nil && here != nil && slices.Equal(there.Types(), here.Types()) {
			fit = append(fit, c)
		}
	}
	return fit
}

// placeIn returns the schema at a path, or nil if s does not describe it. Every object has the full metadata, even if
// its Go type declares only some of it.
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

// parseColumns returns the columns for objects of a schema: the name, unless the host declares that column, and then
// the declared ones.
func (k *Kind) parseColumns(declared []Column, s *schema.Schema) ([]column, error) {
	var out []column
	if !slices.ContainsFunc(declared, func(c Column) bool { return c.Name == nameColumn }) {
		out = append(out, column{isName: true,
			TableColumnDefinition: apimeta.TableColumnDefinition{Name: nameColumn, Type: table.StringType, Format: "name",
				Description: nameDescription}})
	}
	for _, c := range declared {
		if c.Name == "" {
			return nil, errors.New("a column has no name")
		}
		parsed, err := k.parseColumn(c, s)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		out = append(out, parsed)
	}
	return out, nil
}

// parseColumn checks a declared column against the schema and fills in its type and its description.
func (k *Kind) parseColumn(c Column, s *schema.Schema) (column, error) {
	var path table.Path
	if c.Compute == nil {
		var err error
		if path, err = table.ParsePath(c.Path); err != nil {
			return column{}, err
		}
		if _, err = placeIn(s, path); err != nil && !s.FromOpenAPI() { // upstream accepts every path for a custom resource
			return column{}, err
		}
	} else if err := k.checkComputed(c); err != nil {
		return column{}, err
	}
	if c.Type == "" {
		c.Type = table.StringType
	}
	if !table.IsType(c.Type) {
		return column{}, fmt.Errorf("unknown type %q: must be string, integer, number, boolean or date", c.Type)
	}
	if c.Description == "" && c.Compute == nil {
		c.Description = "Custom resource definition column (in JSONPath format): " + c.Path
	}
	return column{cell: table.Column{Path: path, Type: c.Type}, compute: c.Compute,
		TableColumnDefinition: c.TableColumnDefinition}, nil
}

// checkComputed returns an error if the function of a column does not take the Go type of the kind.
func (k *Kind) checkComputed(c Column) error {
	if have := k.goType.ObjectType(); have != c.Of {
		return fmt.Errorf("its function takes a *%s, the kind is %s", c.Of, have)
	}
	if c.Path != "" {
		return fmt.Errorf("it has a path, %q, and a function", c.Path)
	}
	return nil
}

// scaleColumns returns the columns of a Scale. A Scale leaves out a count of 0, so the cell of an absent count is 0.
func (k *Kind) scaleColumns(scale *schema.Schema) ([]column, error) {
	columns, err := k.parseColumns([]Column{
		pathColumn("Desired", table.IntegerType, ".spec.replicas", "Number of desired replicas"),
		pathColumn("Available", table.IntegerType, ".status.replicas", "Number of actual replicas"),
		pathColumn("Age", table.DateType, creationPath, table.CreationDescription),
	}, scale)
	for i := range columns {
		if columns[i].Type == table.IntegerType {
			columns[i].absent = int64(0)
		}
	}
	return columns, err
}
