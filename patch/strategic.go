package patch

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
)

// StrategicMergePatch is a parsed strategic merge patch (application/strategic-merge-patch+json): a merge patch that
// uses the Go type of the object it changes (API conventions, Strategic Merge Patch). The zero StrategicMergePatch
// changes nothing.
//
// Maps merge member by member, and null removes a member. A list is replaced unless its field has the patch strategy
// merge: then its maps are matched by the merge key of the field, and its scalars form a set. The elements that the
// patch names come in the order of the patch; the others keep their order among themselves.
//
// Members that begin with a dollar sign are directives:
//
//   - $patch: replace replaces the old map by the other members of the patch, $patch: delete removes it;
//   - $patch: delete in an element of a merged list removes the element with that key, and an element
//     {"$patch": "replace"} makes the other elements of the patch the whole list;
//   - $retainKeys lists the members that a map keeps;
//   - $setElementOrder/field lists the elements of a field in their final order;
//   - $deleteFromPrimitiveList/field lists the scalars to remove from a field.
//
// As upstream, a directive works only where it meets an old value. In a map or list that the patch adds, any $patch,
// even $patch: replace, removes the map that holds it. In a new element of a merged list, all directives are plain
// members.
type StrategicMergePatch struct{ patch docpatch.StrategicMergePatch }

// ParseStrategicMergePatch reads a strategic merge patch. It returns 400 BadRequest if data is neither a JSON map nor
// null; null is a patch that changes nothing. Apply, not the parser, checks the directives.
func ParseStrategicMergePatch(data []byte) (StrategicMergePatch, error) {
	p, err := docpatch.ParseStrategicMergePatch(data)
	return StrategicMergePatch{p}, err
}

// Warnings reports the duplicate members of the patch, as duplicate field "data.a"; at most 100. The last of the
// duplicates counts. With the query parameter fieldValidation=Strict they are errors. The caller must not change the
// slice.
func (p StrategicMergePatch) Warnings() []string { return p.patch.Warnings() }

// Type is a Go type whose tags say how the lists of an object merge. [TypeFor] makes it, at some cost; a caller keeps
// it for all patches. [StrategicMergePatch.Apply] refuses the zero Type.
type Type struct{ schema *schema.Schema }

// TypeFor reads the tags patchStrategy and patchMergeKey, and the api tags, of the struct T and of the types in it. It
// returns an error if a tag makes no sense.
func TypeFor[T any]() (Type, error) {
	s, err := schema.Derive(reflect.TypeFor[T](), schema.Options{Builtin: true})
	return Type{s}, err
}

// Apply applies the patch to the JSON of an object of the type t. The result may hold members that the type does not
// know.
//
// It returns, in upstream's words: 400 BadRequest if object is not JSON, a directive is malformed or t is the zero
// Type; 422 Invalid if a list holds lists or the result does not fit the type; and code 500 without a reason if the
// patch cannot be merged, because a list element lacks its merge key, a $patch is unknown, or an order does not name
// all elements.
func (p StrategicMergePatch) Apply(object []byte, t Type) ([]byte, error) {
	return apply(object, func(d doc.Value) (doc.Value, error) { return p.patch.Apply(d, t.schema) })
}
