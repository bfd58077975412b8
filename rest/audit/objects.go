package audit

import (
	"encoding/json"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// encodeStatus returns the JSON of a Status.
func encodeStatus(s *status.Status) []byte {
	text, err := codec.EncodeOwn(s)
	if err != nil {
		return nil
	}
	return text
}

// asJSON returns a document as JSON, or nil if it is neither JSON nor YAML. A copy is made, because the caller may
// reuse the text.
func asJSON(text []byte, omitManagedFields bool) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	v, _, err := codec.DecodeYAML(text, false)
	if err != nil || v.Kind() != doc.Map && v.Kind() != doc.List {
		return nil
	}
	if omitManagedFields {
		v = withoutManagedFields(v)
	}
	return codec.AppendObject(nil, v)
}

// withoutManagedFields removes the managedFields of an object, of the elements of a list, and of the objects in a
// table.
func withoutManagedFields(v doc.Value) doc.Value {
	if m := v.Get("metadata"); m.Has("managedFields") {
		v = v.With("metadata", m.Without("managedFields"))
	}
	if items := v.Get("items"); items.Kind() == doc.List {
		v = v.With("items", each(items, withoutManagedFields))
	}
	if rows := v.Get("rows"); v.Get("kind").Text() == "Table" && rows.Kind() == doc.List {
		v = v.With("rows", each(rows, func(row doc.Value) doc.Value {
			if object := row.Get("object"); object.Kind() == doc.Map {
				return row.With("object", withoutManagedFields(object))
			}
			return row
		}))
	}
	return v
}

func each(list doc.Value, change func(doc.Value) doc.Value) doc.Value {
	out := make([]doc.Value, 0, list.Len())
	for _, element := range list.Elements() {
		out = append(out, change(element))
	}
	return doc.ListOf(out...)
}
