package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

const (
	jsonPatchTypeName = "JSONPatch"
	objectTypeName    = "Object"
)

// escapeKey returns the function jsonpatch.escapeKey, which escapes a key for the path of an operation.
func escapeKey() cel.EnvOption {
	escaper := strings.NewReplacer("~", "~0", "/", "~1")
	return cel.Function("jsonpatch.escapeKey",
		cel.Overload("string_jsonpatch_escapeKey_string", []*cel.Type{cel.StringType}, cel.StringType,
			unary(func(key string) ref.Val { return types.String(escaper.Replace(key)) })))
}

// patchTypes adds the types of patches to those of a scope: JSONPatch, the operation of a JSON patch; Object, an apply
// configuration; and types such as Object.spec for the objects below it, with any fields.
type patchTypes struct{ types.Provider }

// FindStructType implements types.Provider.
func (p patchTypes) FindStructType(name string) (*types.Type, bool) {
	if isPatchType(name) {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p patchTypes) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case name == jsonPatchTypeName:
		return []string{"from", "op", "path", "value"}, true
	case isPatchType(name):
		return nil, true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p patchTypes) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if !isPatchType(name) {
		return p.Provider.FindStructFieldType(name, field)
	}
	t := cel.DynType
	if name == jsonPatchTypeName {
		switch field {
		case "op", "path", "from":
			t = cel.StringType
		case "value":
		default:
			return nil, false
		}
	}
	return &types.FieldType{Type: t}, true
}

// NewValue implements types.Provider.
func (p patchTypes) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if !isPatchType(name) {
		return p.Provider.NewValue(name, fields)
	}
	entries := make(map[ref.Val]ref.Val, len(fields))
	for field, value := range fields {
		entries[types.String(field)] = value
	}
	return &patchObject{types.NewRefValMap(types.DefaultTypeAdapter, entries), types.NewObjectType(name)}
}

// patchObject is a value of one of the types of patches.
type patchObject struct {
	traits.Mapper
	of *types.Type
}

// Type implements ref.Val.
func (o *patchObject) Type() ref.Type { return o.of }

// ConvertToType implements ref.Val.
func (o *patchObject) ConvertToType(t ref.Type) ref.Val {
	switch t.TypeName() {
	case o.of.TypeName():
		return o
	case types.TypeType.TypeName():
		return types.NewTypeTypeWithParam(o.of)
	}
	return types.NewErr("unsupported conversion into %v", t)
}

// Equal implements ref.Val.
func (o *patchObject) Equal(other ref.Val) ref.Val {
	if p, ok := other.(*patchObject); ok && p.of.TypeName() == o.of.TypeName() {
		return o.Mapper.Equal(p.Mapper)
	}
	return types.False
}
