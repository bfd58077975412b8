package docpatch

import (
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/status"
)

// MaxOperations is how many operations a JSON patch may have.
const MaxOperations = 10_000

// JSONPatch is a parsed JSON Patch; patch.JSONPatch says what it does. The zero JSONPatch changes nothing.
type JSONPatch struct {
	data       []byte
	operations []operation
	warnings   []string
}

// operation is one step. fault is why no document accepts the step: as upstream, the request fails only when the patch
// is applied.
type operation struct {
	op, pathText string
	path, from   pointer
	value        doc.Value
	fault        error
}

// ParseJSONPatch reads a JSON patch. It returns 400 BadRequest if data is not JSON or not shaped like a patch, and 413
// RequestEntityTooLarge for more than [MaxOperations] operations. It accepts operations that are unknown or lack a
// path; [JSONPatch.Apply] fails for them.
func ParseJSONPatch(data []byte) (JSONPatch, error) {
	v, duplicates, err := codec.DecodeJSON(data)
	if err != nil {
		return JSONPatch{}, undecodable(err)
	}
	if v.Kind() != doc.List && !v.IsNull() {
		return JSONPatch{}, status.BadRequest(wrongShape(v, "[]handlers.jsonPatchOp"))
	}
	p := JSONPatch{data: data}
	for _, path := range duplicates {
		p.warn("duplicate", path)
	}
	p.operations = make([]operation, 0, min(v.Len(), MaxOperations))
	for i, o := range v.Elements() {
		if shape := shapeFault(o); shape != "" {
			return JSONPatch{}, status.BadRequest(shape)
		}
		if i >= MaxOperations {
			continue
		}
		p.operations = append(p.operations, newOperation(o))
		for key := range o.Members() {
			switch key {
			case "op", "path", "from", "value":
			default:
				p.warn("unknown", "["+strconv.Itoa(i)+"]."+key)
			}
		}
	}
	if v.Len() > MaxOperations {
		return JSONPatch{}, status.RequestEntityTooLarge(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", MaxOperations, v.Len()))
	}
	return p, nil
}

// maxWarnings limits how many faults of a patch are reported.
const maxWarnings = 100

func (p *JSONPatch) warn(fault, path string) {
	if len(p.warnings) < maxWarnings {
		p.warnings = append(p.warnings, "json patch "+fault+" field "+strconv.Quote(path))
	}
}

// Warnings returns the faults that do not keep the patch from being applied: duplicate members and unknown members of
// operations, at most 100. With the query parameter fieldValidation=Strict they are errors. The caller must not change
// the slice.
func (p JSONPatch) Warnings() []string { return p.warnings }

func shapeFault(o doc.Value) string {
	if o.Kind() != doc.Map && !o.IsNull() {
		return wrongShape(o, "handlers.jsonPatchOp")
	}
	for _, key := range [...]string{"op", "path", "from"} {
		switch v := o.Get(key); v.Kind() {
		case doc.Absent, doc.Null, doc.String:
		default:
			return undecodablePatch + words.NotOfField(v.JSONName(), "jsonPatchOp", key, "string")
		}
	}
	return ""
}

func newOperation(o doc.Value) operation {
	op := operation{op: o.Get("op").Text(), pathText: o.Get("path").Text(), value: o.Get("value")}
	if op.value.IsAbsent() {
		op.value = doc.NullValue()
	}
	switch op.op {
	case "add", "remove", "replace", "test":
	case "move", "copy":
		op.from, op.fault = readPointer(o, "from")
	default:
		op.fault = fmt.Errorf("%w: unknown op", ErrMalformed)
	}
	if op.fault == nil {
		op.path, op.fault = readPointer(o, "path")
	}
	return op
}

func readPointer(o doc.Value, key string) (pointer, error) {
	v := o.Get(key)
	if v.Kind() != doc.String {
		return nil, fmt.Errorf("%w: no %s", ErrMalformed, key)
	}
	return parsePointer(v.Text())
}
