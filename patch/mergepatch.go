package patch

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
)

// MergePatch is a parsed JSON Merge Patch (RFC 7386, application/merge-patch+json): a map whose members replace those
// of the object, recursively in maps. A null member removes the member of the object. A list replaces the whole old
// list. The zero MergePatch changes nothing.
//
// As upstream, and beyond the RFC, null members of maps inside a list that the patch sets are removed too. An element
// of a list that is null stays.
type MergePatch struct{ patch docpatch.MergePatch }

// ParseMergePatch reads a merge patch. It returns 400 BadRequest if data is not JSON or not a map.
func ParseMergePatch(data []byte) (MergePatch, error) {
	p, err := docpatch.ParseMergePatch(data)
	return MergePatch{p}, err
}

// Warnings reports the duplicate members of the patch, as duplicate field "data.a"; at most 100. The last of the
// duplicates counts. With the query parameter fieldValidation=Strict they are errors. The caller must not change the
// slice.
func (p MergePatch) Warnings() []string { return p.patch.Warnings() }

// Apply applies the patch to the JSON of an object. It treats JSON that is not a map as an empty map. Its only error is
// 400 BadRequest, if object is not JSON.
func (p MergePatch) Apply(object []byte) ([]byte, error) {
	return apply(object, func(d doc.Value) (doc.Value, error) { return p.patch.Apply(d), nil })
}
