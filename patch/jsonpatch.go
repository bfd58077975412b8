package patch

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
)

// MaxOperations is how many operations a JSON patch may have.
const MaxOperations = docpatch.MaxOperations

// JSONPatch is a parsed JSON Patch (RFC 6902, application/json-patch+json). The zero JSONPatch changes nothing.
//
// It does what the API server does, which is RFC 6902 and, beyond it:
//
//   - replace adds a missing member, but fails for a missing index of a list;
//   - a negative index counts from the end, and add at -1 appends;
//   - test with null, or without a value, succeeds for a missing member;
//   - add and replace without a value set null, and so does copy of a missing member;
//   - only test and replace may name the whole document, and only a map or a list may replace it;
//   - if an operation has duplicate members, the last one counts; unknown members are ignored.
type JSONPatch struct{ patch docpatch.JSONPatch }

// ParseJSONPatch reads a JSON patch. It returns 400 BadRequest if data is not JSON or not shaped like a patch, and 413
// RequestEntityTooLarge for more than [MaxOperations] operations. It accepts operations that are unknown or lack a
// path; [JSONPatch.Apply] fails for them.
func ParseJSONPatch(data []byte) (JSONPatch, error) {
	p, err := docpatch.ParseJSONPatch(data)
	return JSONPatch{p}, err
}

// Warnings returns the faults that do not keep the patch from being applied: duplicate members and unknown members of
// operations, at most 100. With the query parameter fieldValidation=Strict they are errors. The caller must not change
// the slice.
func (p JSONPatch) Warnings() []string { return p.patch.Warnings() }

// Apply applies the operations to the JSON of an object, in their order. It applies all of them or none.
//
// It returns 400 BadRequest if object is not JSON. It returns 422 Invalid, in upstream's words, if an operation cannot
// be applied or a test fails; errors.As finds the [*OperationError] in it. The cost grows with the size of the object,
// and with the square of the number of operations on one list, up to some hundred milliseconds for [MaxOperations].
func (p JSONPatch) Apply(object []byte) ([]byte, error) {
	return apply(object, func(d doc.Value) (doc.Value, error) {
		changed, err := p.patch.Apply(d)
		return changed, withOperation(err)
	})
}
