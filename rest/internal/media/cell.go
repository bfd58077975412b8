package media

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/table"
)

// column is a column of a kind's Tables. Its cells are values at a path, results of a function, or names.
type column struct {
	apimeta.TableColumnDefinition
	cell    table.Column
	compute func(obj any) (any, error)
	isName  bool
	absent  any // the cell if the object has no value at the path
}

// partsOf returns the parts of an object that the columns need, except for those with a function.
func partsOf(columns []column) (parts *codec.Parts) {
	for _, c := range columns {
		switch {
		case c.isName:
			parts = parts.With("metadata", "name")
		case c.compute == nil:
			for _, names := range c.cell.Path.Members() {
				parts = parts.With(names...)
			}
		}
	}
	return parts
}

// value returns the cell of an object. typed is the object in its Go type; only a column with a function needs it.
func (c *column) value(v doc.Value, typed any, now time.Time) (any, error) {
	if c.isName {
		return v.Get("metadata").Get("name").Text(), nil
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

// appendCell appends a cell as JSON.
func appendCell(dst []byte, cell any) ([]byte, error) {
	switch c := cell.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return codec.AppendJSON(dst, doc.Of(c)), nil
	case int64:
		return strconv.AppendInt(dst, c, 10), nil
	}
	encoded, err := json.Marshal(cell)
	return append(dst, encoded...), err
}
