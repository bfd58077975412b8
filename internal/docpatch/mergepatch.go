package docpatch

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// MergePatch is a parsed JSON Merge Patch; patch.MergePatch says what it does. The zero MergePatch changes nothing.
type MergePatch struct {
	data     []byte
	value    doc.Value
	warnings []string
}

// ParseMergePatch reads a merge patch. It returns 400 BadRequest if data is not JSON or not a map.
func ParseMergePatch(data []byte) (MergePatch, error) {
	v, duplicates, err := codec.DecodeJSON(data)
	switch {
	case err != nil:
		return MergePatch{}, undecodable(err)
	case v.IsNull():
		return MergePatch{}, status.BadRequest("Invalid JSON Patch")
	case v.Kind() != doc.Map:
		return MergePatch{}, status.BadRequest(wrongShape(v, "map[string]interface {}"))
	}
	return MergePatch{data: data, value: v, warnings: duplicateFields(duplicates)}, nil
}

// Warnings reports the duplicate members of the patch, as duplicate field "data.a"; at most 100. The last of the
// duplicates counts. With the query parameter fieldValidation=Strict they are errors. The caller must not change the
// slice.
func (p MergePatch) Warnings() []string { return p.warnings }

// Apply applies the patch to d and returns the resulting document. It cannot fail: it treats a document that is not a
// map as an empty map. If nothing changes, it returns d itself.
func (p MergePatch) Apply(d doc.Value) doc.Value {
	if p.value.IsAbsent() {
		return d
	}
	return merge(d, p.value)
}

// merge recurses as deep as the patch, whose depth the parser bounds.
func merge(target, patch doc.Value) doc.Value {
	if patch.Kind() != doc.Map {
		return withoutNulls(patch)
	}
	changes := make([]doc.Member, 0, patch.Len())
	for key, value := range patch.Members() {
		if value.IsNull() {
			value = doc.Value{}
		} else {
			value = merge(target.Get(key), value)
		}
		changes = append(changes, doc.Member{Key: key, Value: value})
	}
	return target.WithAll(changes)
}

// withoutNulls removes the null members of the maps in a list. It keeps the elements of lists, null or not.
func withoutNulls(v doc.Value) doc.Value {
	return v.Rewrite(func(_ int, _ string, value doc.Value) doc.Value {
		if value.IsNull() && v.Kind() == doc.Map {
			return doc.Value{}
		}
		return withoutNulls(value)
	})
}
