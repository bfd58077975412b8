package media

import (
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// tableWriter writes the rows of one answer (API concepts, Receiving resources as Tables).
type tableWriter struct {
	kind    *Kind
	version string // the version of meta.k8s.io
	include apimeta.IncludeObjectPolicy
	texts   [][]byte // the leaves of the row that is being written
}

// newTableWriter returns an error if the client asks for an invalid content of the rows.
func newTableWriter(k *Kind, rep *Representation) (*tableWriter, error) {
	t := &tableWriter{kind: k, version: rep.MetaVersion, include: rep.include}
	switch t.include {
	case "":
		t.include = apimeta.IncludeMetadata
	case apimeta.IncludeNone, apimeta.IncludeMetadata, apimeta.IncludeObject:
	default:
		return nil, status.BadRequest(fmt.Sprintf("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", t.include))
	}
	return t, nil
}

// appendHead appends a Table up to its first row. Only the first event of a watch contains the columns.
func (t *tableWriter) appendHead(dst []byte, l List, columns bool) ([]byte, error) {
	dst = appendTypeMeta(dst, "meta.k8s.io/"+t.version, "Table")
	dst = appendListMeta(append(dst, `"metadata":`...), l, false)
	dst = append(dst, `,"columnDefinitions":`...)
	if columns {
		definitions := make([]apimeta.TableColumnDefinition, len(t.kind.columns))
		for i, c := range t.kind.columns {
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

// appendRow appends the row of a stored object. metadata is the place of its metadata.
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

// beginRow appends a row up to its object. object is nil for a bookmark. A host's function may not expect the empty
// object of a bookmark, so a cell is empty if its function fails there. A cell that shows a text or a number is a part
// of the stored JSON; for others, beginRow decodes the parts that the columns need.
func (t *tableWriter) beginRow(dst, object []byte, metadata storage.Span) ([]byte, error) {
	t.texts = t.kind.cellParts.Find(object, int(metadata.End), t.texts)
	bookmark := object == nil
	if bookmark {
		object = []byte("{}")
	}
	dst = append(dst, `{"cells":[`...)
	now := t.kind.now()
	var v doc.Value
	var typed any // decoded for the first column that needs it
	var err error
	for i := range t.kind.columns {
		c := &t.kind.columns[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.leaf >= 0 {
			var done bool
			if dst, done = c.appendText(dst, t.texts[c.leaf], now); done {
				continue
			}
		}
		switch {
		case c.compute != nil && typed == nil:
			typed, err = t.kind.goType.Decode(object)
		case c.compute == nil && v.IsAbsent():
			v, err = t.kind.cellParts.Decode(t.texts)
		}
		if err != nil {
			return dst, err
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

// appendTableOf appends one object as a Table with one row.
func (k *Kind) appendTableOf(dst []byte, rep *Representation, object []byte) ([]byte, error) {
	t, err := newTableWriter(k, rep)
	if err != nil {
		return nil, err
	}
	parts, err := storage.ExtractMetadata(object)
	if err != nil {
		return nil, err
	}
	revision, _ := strconv.ParseUint(string(object[parts.Version.Start:parts.Version.End]), 10, 64)
	out, err := t.appendHead(dst, List{Revision: watch.Revision(revision)}, true)
	if err != nil {
		return nil, err
	}
	if out, err = t.appendRow(out, object, parts.Metadata); err != nil {
		return nil, err
	}
	return append(out, ']', '}'), nil
}

// appendTable writes a list as a Table.
func (t *tableWriter) appendTable(out *ListWriter, l List) error {
	var err error
	if out.buf, err = t.appendHead(out.buf, l, true); err != nil {
		return err
	}
	for i, record := range l.Records {
		if record, err = out.show(record); err != nil {
			return err
		}
		if i > 0 {
			out.buf = append(out.buf, ',')
		}
		l.Records[i] = nil
		object, err := record.JSON(out.ctx)
		if err != nil {
			return err
		}
		if t.include == apimeta.IncludeObject {
			if out.buf, err = t.beginRow(out.buf, object, record.Metadata); err != nil {
				return err
			}
			out.bytes(object)
			out.buf = append(out.buf, '}')
		} else if out.buf, err = t.appendRow(out.buf, object, record.Metadata); err != nil {
			return err
		}
		if out.full(); out.err != nil {
			return nil
		}
	}
	out.buf = append(out.buf, ']', '}')
	return nil
}
