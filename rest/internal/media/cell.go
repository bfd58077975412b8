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

// column is a column of a kind's Tables: a place, or a function, or the name.
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
