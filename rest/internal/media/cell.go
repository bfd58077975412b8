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
	leaf    int // the index of the part that alone decides about the cell; -1 if there is none
}

// partsOf returns the parts of an object that the columns need, except for those with a function. It notes which
// columns need a single leaf.
func partsOf(columns []column) (parts *codec.Parts) {
	for _, c := range columns {
		for _, names := range c.members() {
			parts = parts.With(names...)
		}
	}
	for i := range columns {
		c := &columns[i]
		c.leaf = -1
		if only, ok := c.cell.Path.Only(); c.isName {
			c.leaf = parts.Leaf(nameMembers...)
		} else if ok {
			c.leaf = parts.Leaf(only...)
		}
	}
	return parts
}

// nameMembers lead to the name of an object.
var nameMembers = []string{"metadata", "name"}

// members returns the members that lead to the values of the column, for each route to them.
func (c *column) members() [][]string {
	switch {
	case c.isName:
		return [][]string{nameMembers}
	case c.compute != nil:
		return nil
	}
	return c.cell.Path.Members()
}

// appendText appends the cell for the text of the leaf. It returns false if the object has to be decoded; it then
// appends nothing.
func (c *column) appendText(dst, text []byte, now time.Time) ([]byte, bool) {
	if c.isName && len(text) > 0 {
		return append(dst, text...), true
	}
	return c.cell.AppendText(dst, text, now)
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
