package docpatch

import (
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/status"
)

// StrategicMergePatch is a parsed strategic merge patch; patch.StrategicMergePatch says what it does. The zero
// StrategicMergePatch changes nothing.
type StrategicMergePatch struct {
	value    doc.Value
	warnings []string
}

// ParseStrategicMergePatch reads a strategic merge patch. It returns 400 BadRequest if data is neither a JSON map nor
// null; null is a patch that changes nothing. Apply, not the parser, checks the directives.
func ParseStrategicMergePatch(data []byte) (StrategicMergePatch, error) {
	v, duplicates, err := codec.DecodeJSON(data)
	switch {
	case err != nil:
		return StrategicMergePatch{}, undecodable(err)
	case v.IsNull():
		return StrategicMergePatch{}, nil
	case v.Kind() != doc.Map:
		return StrategicMergePatch{}, status.BadRequest(words.NotOfType(v.JSONName(), "map[string]interface {}"))
	}
	return StrategicMergePatch{value: v, warnings: duplicateFields(duplicates)}, nil
}

// Warnings reports the duplicate members of the patch, as duplicate field "data.a"; at most 100. The last of the
// duplicates counts. With the query parameter fieldValidation=Strict they are errors. The caller must not change the
// slice.
func (p StrategicMergePatch) Warnings() []string { return p.warnings }

// Apply applies the patch to d, an object of the kind that s describes, and returns the resulting document. If nothing
// changes, it returns d itself. The result may hold members that the schema does not know; the caller prunes them.
//
// It returns, in upstream's words: 400 BadRequest if a directive is malformed or s is nil; 422 Invalid if a list holds
// lists or the result does not fit the types of the schema; and code 500 without a reason if the patch cannot be
// merged, because a list element lacks its merge key, a $patch is unknown, or an order does not name all elements.
//
// The cost grows with the size of the maps and lists that the patch touches, plus one check of the types of the result.
func (p StrategicMergePatch) Apply(d doc.Value, s *schema.Schema) (doc.Value, error) {
	if s == nil {
		return doc.Value{}, status.BadRequest("strategic merge patch format is not supported")
	}
	if p.value.IsAbsent() {
		return d, nil
	}
	if d.Kind() != doc.Map {
		d = doc.MapOf()
	}
	merged, err := mergeMap(d, p.value, s)
	if err != nil {
		return doc.Value{}, err
	}
	if merged != d && len(s.CheckTypes(nil, merged)) > 0 {
		return doc.Value{}, inconvertible(p, merged, s)
	}
	return merged, nil
}
