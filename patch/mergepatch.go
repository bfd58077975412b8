package patch

import (
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// MergePatch is a parsed JSON Merge Patch (RFC 7386, application/merge-patch+json): a map whose members are set in the
// document, map by map, and removed where they are null. Lists are replaced as a whole. The zero MergePatch changes
// nothing.
//
// As upstream, and beyond the RFC, a null is taken out of the maps inside a list that the patch sets, too; a null that is
// itself an element of a list stays.
type MergePatch struct {
	data     []byte
	value    doc.Value
	warnings []string
}

// ParseMergePatch reads a merge patch. It fails with 400 BadRequest when data is no JSON text or no map.
func ParseMergePatch(data []byte) (MergePatch, error) {
	v, duplicates, err := codec.DecodeJSON(data)
	switch {
	case err != nil:
		return MergePatch{}, undecodable(err)
	case v.IsNull():
		return MergePatch{}, status.BadRequest("Invalid JSON Patch")
	case v.Kind() != doc.Map:
		return MergePatch{}, status.BadRequest(wrongShape(v, "Go value of type map[string]interface {}"))
	}
	p := MergePatch{data: data, value: v}
	for _, path := range duplicates {
		p.warnings = append(p.warnings, "duplicate field "+strconv.Quote(path))
	}
	return p, nil
}

// Warnings returns the members that stand in the patch twice, of which the last counted, as duplicate field "data.a"; at
// most 100. With the query parameter fieldValidation=Strict these are errors. The slice is the patch's own and not to be
// changed.
func (p MergePatch) Warnings() []string { return p.warnings }

// Apply returns the document that the patch makes of d. It always can; a document that is no map counts as an empty one.
// When nothing changes the result is d itself.
func (p MergePatch) Apply(d Document) Document {
	if p.value.IsAbsent() {
		return d
	}
	return merge(d, p.value)
}

// merge recurses as deep as the patch, whose depth is bounded since it was parsed.
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

// withoutNulls takes the null members out of the maps in a list. The elements of lists stay, null or not.
func withoutNulls(v doc.Value) doc.Value {
	return v.Rewrite(func(_ int, _ string, value doc.Value) doc.Value {
		if value.IsNull() && v.Kind() == doc.Map {
			return doc.Value{}
		}
		return withoutNulls(value)
	})
}
