package patch

import (
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// StrategicMergePatch is a parsed strategic merge patch (application/strategic-merge-patch+json): a merge patch that
// knows the kind it changes (API conventions, Strategic Merge Patch). The zero StrategicMergePatch changes nothing.
//
// Maps merge member by member, and null removes a member. A list is replaced unless its field has the patch strategy
// merge: then maps in it are matched by the merge key of the field, and scalars are the members of a set. What the patch
// names comes in the order of the patch; what it does not name keeps its place among the rest.
//
// Members that begin with a dollar sign are directives:
//
//   - $patch: replace puts the rest of a map in the place of the old one, $patch: delete removes it;
//   - $patch: delete in an element of a merged list removes the element with that key, and an element
//     {"$patch": "replace"} makes the other elements of the patch the whole list;
//   - $retainKeys lists the members that a map keeps;
//   - $setElementOrder/field lists the elements of a field in the order they are to have;
//   - $deleteFromPrimitiveList/field lists the scalars to remove from a field.
//
// As upstream, a directive counts only where there is something to change. Where the patch adds a map, a list or an
// element of a list, whatever is below it has nothing to merge with: $patch removes the map it stands in, also $patch:
// replace, and in a new element of a merged list all directives are plain members.
type StrategicMergePatch struct {
	value    doc.Value
	warnings []string
}

// ParseStrategicMergePatch reads a strategic merge patch. It fails with 400 BadRequest when data is no JSON text or no
// map; null is a patch that changes nothing. Directives are looked at when the patch is applied.
func ParseStrategicMergePatch(data []byte) (StrategicMergePatch, error) {
	v, duplicates, err := codec.DecodeJSON(data)
	switch {
	case err != nil:
		return StrategicMergePatch{}, status.BadRequest(err.Error()).WithCause(err)
	case v.IsNull():
		return StrategicMergePatch{}, nil
	case v.Kind() != doc.Map:
		return StrategicMergePatch{}, status.BadRequest("json: cannot unmarshal " + v.JSONName() + " into Go value of type map[string]interface {}")
	}
	p := StrategicMergePatch{value: v}
	for _, path := range duplicates {
		p.warnings = append(p.warnings, "duplicate field "+strconv.Quote(path))
	}
	return p, nil
}

// Warnings returns the members that stand in the patch twice, of which the last counted, as duplicate field "data.a"; at
// most 100. With the query parameter fieldValidation=Strict these are errors. The slice is the patch's own and not to be
// changed.
func (p StrategicMergePatch) Warnings() []string { return p.warnings }

// Apply returns the document that the patch makes of d, an object of the kind that s describes. When nothing changes the
// result is d itself. Members that the schema does not know are in the result; the caller prunes them.
//
// It fails, in upstream's words, with 400 BadRequest when a directive is malformed, with 422 Invalid when a list holds
// lists or when the result does not fit the types of the schema, and with a code 500 without a reason when the patch
// cannot be merged: a list element without its merge key, an unknown $patch, an order that does not name all elements.
// Without a schema there is nothing to merge by, which is a 400 BadRequest.
//
// The cost is that of the maps and lists that the patch touches, and of one look at the types of the result.
func (p StrategicMergePatch) Apply(d Document, s *schema.Schema) (Document, error) {
	if s == nil {
		return Document{}, status.BadRequest("strategic merge patch format is not supported")
	}
	if p.value.IsAbsent() {
		return d, nil
	}
	if d.Kind() != doc.Map {
		d = doc.MapOf()
	}
	merged, err := mergeMap(d, p.value, s)
	if err != nil {
		return Document{}, err
	}
	if merged != d && len(s.CheckTypes(nil, merged)) > 0 {
		return Document{}, inconvertible(p, merged, s)
	}
	return merged, nil
}
