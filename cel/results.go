package cel

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
)

// resultOf returns the result of an expression as a document.
func resultOf(want rules.Type, v ref.Val) (doc.Value, error) {
	switch want {
	case rules.JSONPatch:
		return jsonPatchOf(v)
	case rules.ApplyConfiguration:
		if err := checkTypeNames(v, objectTypeName); err != nil {
			return doc.Value{}, fmt.Errorf("type mismatch: %w", err)
		}
	}
	return documentOf(v)
}

// jsonPatchOf returns the operations of a JSON patch.
func jsonPatchOf(v ref.Val) (doc.Value, error) {
	list, ok := v.(traits.Lister)
	if !ok {
		return doc.Value{}, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	var operations []doc.Value
	for it := list.Iterator(); it.HasNext() == types.True; {
		op, ok := it.Next().(*patchObject)
		if !ok {
			return doc.Value{}, errors.New("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch")
		}
		if value, found := op.Find(types.String("value")); found {
			if o, ok := value.(*patchObject); ok {
				if err := checkTypeNames(o, o.of.TypeName()); err != nil {
					return doc.Value{}, fmt.Errorf("type mismatch: %w", err)
				}
			}
		}
		operation, err := documentOf(op)
		if err != nil {
			return doc.Value{}, fmt.Errorf("JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w",
				err)
		}
		if operation.Get("from").Text() == "" {
			operation = operation.Without("from")
		}
		operations = append(operations, operation)
	}
	return doc.ListOf(operations...), nil
}

// checkTypeNames returns an error if the type of an object, or of an object in it, is not named for its place:
// Object.spec for the member spec of Object. The type of an object in a list or map is named for the list or map.
func checkTypeNames(v ref.Val, place string) error {
	switch v := v.(type) {
	case *patchObject:
		var errs []error
		if name := v.of.TypeName(); name != place {
			errs = append(errs, fmt.Errorf("unexpected type name %q, expected %q, which matches field name path from root Object type", name, place))
		}
		for _, field := range sortedKeys(v) {
			errs = append(errs, checkTypeNames(v.Get(field), place+"."+string(field)))
		}
		return errors.Join(errs...)
	case *lazyMap, *lazyStruct, *lazyList: // documents contain no patches
		return nil
	case traits.Lister:
		var errs []error
		for it := v.Iterator(); it.HasNext() == types.True; {
			errs = append(errs, checkTypeNames(it.Next(), place))
		}
		return errors.Join(errs...)
	case traits.Mapper:
		var errs []error
		for _, key := range sortedKeys(v) {
			errs = append(errs, checkTypeNames(v.Get(key), place))
		}
		return errors.Join(errs...)
	}
	return nil
}

// sortedKeys returns the keys of a map that are texts.
func sortedKeys(m traits.Mapper) []types.String {
	var keys []types.String
	for it := m.Iterator(); it.HasNext() == types.True; {
		if key, ok := it.Next().(types.String); ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// documentOf returns a value as a document.
func documentOf(v ref.Val) (doc.Value, error) {
	switch v := v.(type) {
	case types.Null:
		return doc.NullValue(), nil
	case types.Bool:
		return doc.OfBool(bool(v)), nil
	case types.String:
		return doc.Of(string(v)), nil
	case types.Int:
		return doc.OfInt(int64(v)), nil
	case types.Uint:
		return doc.OfLiteral(fmt.Sprint(uint64(v))), nil
	case types.Double:
		return doc.OfFloat(float64(v)), nil
	case types.Bytes:
		return doc.Of(base64.StdEncoding.EncodeToString(v)), nil
	case types.Timestamp:
		return doc.Of(v.UTC().Format(time.RFC3339Nano)), nil
	case types.Duration:
		return doc.Of(fmt.Sprint(v.Seconds()) + "s"), nil
	case traits.Lister:
		var elements []doc.Value
		for it := v.Iterator(); it.HasNext() == types.True; {
			e, err := documentOf(it.Next())
			if err != nil {
				return doc.Value{}, err
			}
			elements = append(elements, e)
		}
		return doc.ListOf(elements...), nil
	case traits.Mapper:
		var members []doc.Member
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, ok := key.(types.String)
			if !ok {
				return doc.Value{}, fmt.Errorf("map key %v is not a string", key.Value())
			}
			member, err := documentOf(v.Get(key))
			if err != nil {
				return doc.Value{}, err
			}
			members = append(members, doc.Member{Key: string(name), Value: member})
		}
		return doc.MapOf(members...), nil
	}
	return doc.Value{}, fmt.Errorf("a value of type %v has no form in JSON", v.Type())
}
