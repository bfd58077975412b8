package cel

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// unary binds a function of one argument. The function receives the Go value: a string, an int64, or the value of an
// [opaque].
func unary[A any](f func(A) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		a, ok := v.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(a)
	})
}

// binary is unary for two arguments.
func binary[A, B any](f func(A, B) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		a, ok := v.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		b, ok := w.Value().(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(w)
		}
		return f(a, b)
	})
}

// parsed binds a function that parses a text.
func parsed[T any](parse func(string) (T, error), wrap func(T) ref.Val) cel.OverloadOpt {
	return unary(func(text string) ref.Val {
		v, err := parse(text)
		if err != nil {
			return types.WrapErr(err)
		}
		return wrap(v)
	})
}

// readable binds a function that reports whether a text can be parsed.
func readable[T any](parse func(string) (T, error)) cel.OverloadOpt {
	return unary(func(text string) ref.Val {
		_, err := parse(text)
		return types.Bool(err == nil)
	})
}

// comparisons returns isGreaterThan, isLessThan and compareTo of an ordered type, whose overloads begin with name.
func comparisons[T any](name string, of *cel.Type, compare func(a, b T) int) []cel.EnvOption {
	two := []*cel.Type{of, of}
	return []cel.EnvOption{
		cel.Function("isGreaterThan", cel.MemberOverload(name+"_is_greater_than", two, cel.BoolType,
			binary(func(a, b T) ref.Val { return types.Bool(compare(a, b) > 0) }))),
		cel.Function("isLessThan", cel.MemberOverload(name+"_is_less_than", two, cel.BoolType,
			binary(func(a, b T) ref.Val { return types.Bool(compare(a, b) < 0) }))),
		cel.Function("compareTo", cel.MemberOverload(name+"_compare_to", two, cel.IntType,
			binary(func(a, b T) ref.Val { return types.Int(compare(a, b)) }))),
	}
}

// opaque is a value of one of Kubernetes' types. Expressions can compare it and pass it to functions.
type opaque[T any] struct {
	value T
	of    *opaqueType[T]
}

type opaqueType[T any] struct {
	*cel.Type
	equal func(a, b T) bool
	size  func(T) int // the size by which calls are charged; nil if they have a fixed price
}

func (t *opaqueType[T]) wrap(v T) ref.Val { return opaque[T]{v, t} }

// ConvertToNative implements ref.Val.
func (o opaque[T]) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeFor[T]().AssignableTo(t) {
		return o.value, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", o.of.TypeName(), t)
}

// ConvertToType implements ref.Val.
func (o opaque[T]) ConvertToType(t ref.Type) ref.Val {
	switch t.TypeName() {
	case o.of.TypeName():
		return o
	case types.TypeType.TypeName():
		return o.of.Type
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.of.TypeName(), t.TypeName())
}

// Equal implements ref.Val.
func (o opaque[T]) Equal(other ref.Val) ref.Val {
	if v, ok := other.(opaque[T]); ok {
		return types.Bool(o.of.equal(o.value, v.value))
	}
	return types.MaybeNoSuchOverloadErr(other)
}

// Type implements ref.Val.
func (o opaque[T]) Type() ref.Type { return o.of.Type }

// Value implements ref.Val.
func (o opaque[T]) Value() any { return o.value }

// Size implements traits.Sizer.
func (o opaque[T]) Size() ref.Val {
	if o.of.size == nil {
		return types.IntOne
	}
	return types.Int(o.of.size(o.value))
}
