package rest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// tableWriter makes the rows of one answer (API concepts, Receiving resources as Tables).
type tableWriter struct {
	res     *served
	columns []column
	version string // of meta.k8s.io
	include apimeta.IncludeObjectPolicy
}

// columns are those of what is asked for.
func (q *request) columns() []column {
	if q.through != nil && !q.through.OfItself {
		return q.through.columns
	}
	return q.res.columns
}

func (q *request) tableWriter(rep representation) (*tableWriter, error) {
	t := &tableWriter{res: q.res, columns: q.columns(), version: rep.metaVersion, include: apimeta.IncludeObjectPolicy(q.parameters().Get("includeObject"))}
	switch t.include {
	case "":
		t.include = apimeta.IncludeMetadata
	case apimeta.IncludeNone, apimeta.IncludeMetadata, apimeta.IncludeObject:
	default:
		return nil, status.BadRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", t.include))
	}
	return t, nil
}

// appendHead appends a table up to its first row. Later events of a watch repeat no columns.
func (t *tableWriter) appendHead(dst []byte, p resource.Page, columns bool) ([]byte, error) {
	dst = appendTypeMeta(dst, "meta.k8s.io/"+t.version, "Table")
	dst = appendListMeta(append(dst, `"metadata":`...), p)
	dst = append(dst, `,"columnDefinitions":`...)
	if columns {
		definitions := make([]apimeta.TableColumnDefinition, len(t.columns))
		for i, c := range t.columns {
			definitions[i] = c.TableColumnDefinition
		}
		encoded, err := codec.EncodeOwn(definitions)
		if err != nil {
			return dst, err
		}
		dst = append(dst, encoded...)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, `,"rows":[`...), nil
}

// appendRow appends the row of an object in its stored form, whose metadata lies where it is said.
func (t *tableWriter) appendRow(dst, object []byte, metadata storage.Span) ([]byte, error) {
	dst, err := t.beginRow(dst, object, metadata)
	if err != nil {
		return dst, err
	}
	switch t.include {
	case apimeta.IncludeNone:
		dst = append(dst, "null"...)
	case apimeta.IncludeObject:
		dst = append(dst, object...)
	default:
		dst = appendPartialMetadata(dst, t.version, object[metadata.Start:metadata.End])
	}
	return append(dst, '}'), nil
}

// beginRow appends a row up to its object.
func (t *tableWriter) beginRow(dst, object []byte, metadata storage.Span) ([]byte, error) {
	v, err := t.read(object, metadata)
	if err != nil {
		return dst, err
	}
	return t.appendCells(dst, v, object)
}

// read returns as much of an object as the columns look at: where functions make all cells but the name, its metadata.
func (t *tableWriter) read(object []byte, metadata storage.Span) (doc.Value, error) {
	if slices.ContainsFunc(t.columns, column.isPath) {
		v, _, err := codec.DecodeJSON(object)
		return v, err
	}
	m, _, err := codec.DecodeJSON(object[metadata.Start:metadata.End])
	return doc.MapOf(doc.Member{Key: "metadata", Value: m}), err
}

// appendCells appends a row up to its object, which is given as JSON too. A bookmark has none: it is of an object without
// fields, for which not every function is made, and what fails has an empty cell.
func (t *tableWriter) appendCells(dst []byte, v doc.Value, object []byte) ([]byte, error) {
	bookmark := object == nil
	if bookmark {
		object = []byte("{}")
	}
	dst = append(dst, `{"cells":[`...)
	now := t.res.Now()
	var typed any // decoded for the first column that wants it
	for i, c := range t.columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.compute != nil && typed == nil {
			var err error
			if typed, err = t.res.GoType.Decode(object); err != nil {
				return dst, err
			}
		}
		cell, err := c.value(v, typed, now)
		if bookmark && err != nil {
			cell, err = nil, nil
		}
		if err != nil {
			return dst, err
		}
		if dst, err = appendCell(dst, cell); err != nil {
			return dst, err
		}
	}
	return append(dst, `],"object":`...), nil
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

// table is one object as a table of one row.
func (q *request) table(rep representation, object []byte) ([]byte, error) {
	t, err := q.tableWriter(rep)
	if err != nil {
		return nil, err
	}
	parts, err := storage.ExtractMetadata(object)
	if err != nil {
		return nil, err
	}
	revision, _ := strconv.ParseUint(string(object[parts.Version.Start:parts.Version.End]), 10, 64)
	out, err := t.appendHead(nil, resource.Page{Page: storage.Page{Revision: watch.Revision(revision)}}, true)
	if err != nil {
		return nil, err
	}
	if out, err = t.appendRow(out, object, parts.Metadata); err != nil {
		return nil, err
	}
	return append(out, ']', '}'), nil
}

// appendTable appends a list as a table.
func (t *tableWriter) appendTable(out *chunkWriter, p resource.Page) error {
	var err error
	if out.buf, err = t.appendHead(out.buf, p, true); err != nil {
		return err
	}
	for i, record := range p.Records {
		if record, err = t.res.Show(record); err != nil {
			return err
		}
		if i > 0 {
			out.buf = append(out.buf, ',')
		}
		p.Records[i] = nil
		if t.include == apimeta.IncludeObject {
			if out.buf, err = t.beginRow(out.buf, record.JSON, record.Metadata); err != nil {
				return err
			}
			out.object(record.JSON)
			out.buf = append(out.buf, '}')
		} else if out.buf, err = t.appendRow(out.buf, record.JSON, record.Metadata); err != nil {
			return err
		}
		if out.full(); out.err != nil {
			return nil
		}
	}
	out.buf = append(out.buf, ']', '}')
	return nil
}

// tableObjects shows each object as a table of one row.
type tableObjects struct {
	*tableWriter
	columnsSent bool
	spliced     []byte
}

func (v *tableObjects) whole() surroundings {
	if v.include != apimeta.IncludeObject {
		return nil
	}
	return v
}

func (v *tableObjects) around(dst, object []byte, at watch.Revision) ([]byte, string, error) {
	parts, err := storage.ExtractMetadata(object)
	if err == nil {
		dst, err = v.begin(dst, at)
	}
	if err == nil {
		dst, err = v.beginRow(dst, object, parts.Metadata)
	}
	return dst, "}]}", err
}

func (v *tableObjects) object(dst []byte, r *storage.Record, at watch.Revision) ([]byte, error) {
	dst, err := v.begin(dst, at)
	if err != nil {
		return dst, err
	}
	object, metadata := r.JSON, r.Metadata
	if at != r.Revision {
		v.spliced = r.AppendAt(v.spliced[:0], at)
		parts, err := storage.ExtractMetadata(v.spliced)
		if err != nil {
			return dst, err
		}
		object, metadata = v.spliced, parts.Metadata
	}
	dst, err = v.appendRow(dst, object, metadata)
	return append(dst, "]}"...), err
}

func (v *tableObjects) begin(dst []byte, at watch.Revision) ([]byte, error) {
	dst, err := v.appendHead(dst, resource.Page{Page: storage.Page{Revision: at}}, !v.columnsSent)
	v.columnsSent = true
	return dst, err
}

// bookmark is a table with one row, that of an object without fields, which carries what a client looks for in a bookmark:
// at the end of the initial events also for a client that wants no objects.
func (v *tableObjects) bookmark(dst []byte, at watch.Revision, initialEventsEnd bool) ([]byte, error) {
	dst, err := v.begin(dst, at)
	if err != nil {
		return dst, err
	}
	if dst, err = v.appendCells(dst, doc.MapOf(), nil); err != nil {
		return dst, err
	}
	switch {
	case v.include == apimeta.IncludeObject:
		dst = v.res.appendBookmark(dst, at, initialEventsEnd)
	case v.include == apimeta.IncludeNone && !initialEventsEnd:
		dst = append(dst, "null"...)
	default:
		dst = appendTypeMeta(dst, "meta.k8s.io/"+v.version, "PartialObjectMetadata")
		dst = append(appendBookmarkMeta(dst, at, initialEventsEnd), '}')
	}
	return append(dst, "}]}"...), nil
}

func (v *tableObjects) forget() { v.spliced = nil }
