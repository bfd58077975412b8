package apimeta

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
)

// Document is an object of any kind: its metadata, and all other fields as plain Go values. Use it for a kind without a
// Go struct, such as one that arrives at run time.
//
// A Document that was decoded holds strings, bool, int64, float64, nil, []any and map[string]any. A number outside the
// range of int64 is a float64, so it may lose digits; one outside the range of float64 is a json.Number. A Document to
// encode may hold all that encoding/json encodes.
type Document struct {
	TypeMeta
	ObjectMeta
	// Content holds the fields besides apiVersion, kind and metadata, such as spec. These three are ignored in it.
	Content map[string]any
}

// MarshalJSON returns the document as one JSON object. It leaves out an apiVersion and kind that are empty.
func (d Document) MarshalJSON() ([]byte, error) {
	all := make(map[string]any, len(d.Content)+3)
	maps.Copy(all, d.Content)
	for key, text := range map[string]string{"apiVersion": d.APIVersion, "kind": d.Kind} {
		if delete(all, key); text != "" {
			all[key] = text
		}
	}
	all["metadata"] = d.ObjectMeta
	return json.Marshal(all)
}

// UnmarshalJSON replaces the document with a JSON object.
func (d *Document) UnmarshalJSON(data []byte) error {
	var head PartialObjectMetadata
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return err
	}
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		delete(all, key)
	}
	plainNumbers(all)
	*d = Document{TypeMeta: head.TypeMeta, ObjectMeta: head.ObjectMeta, Content: all}
	return nil
}

// plainNumbers replaces the numbers below a value with int64 or float64, and returns the value.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plainNumbers(v[key])
		}
	}
	return v
}
