package cel

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// quantityFunctions returns quantity, isQuantity and the functions of quantities.
func quantityFunctions() []cel.EnvOption {
	quantities := &opaqueType[quantity]{Type: cel.ObjectType(quantityTypeName),
		equal: func(a, b quantity) bool { return a.compare(b) == 0 }}
	one, two, withInt := []*cel.Type{quantities.Type}, []*cel.Type{quantities.Type, quantities.Type},
		[]*cel.Type{quantities.Type, cel.IntType}
	combine := func(name string, with func(a, b quantity) quantity) cel.EnvOption {
		return cel.Function(name,
			cel.MemberOverload("quantity_"+name, two, quantities.Type,
				binary(func(a, b quantity) ref.Val { return quantities.wrap(with(a, b)) })),
			cel.MemberOverload("quantity_"+name+"_int", withInt, quantities.Type,
				binary(func(a quantity, b int64) ref.Val { return quantities.wrap(with(a, quantityOf(b))) })))
	}
	return append(comparisons("quantity", quantities.Type, quantity.compare),
		cel.Function("quantity", cel.Overload("string_to_quantity", []*cel.Type{cel.StringType}, quantities.Type,
			parsed(parseQuantity, quantities.wrap))),
		cel.Function("isQuantity", cel.Overload("is_quantity_string", []*cel.Type{cel.StringType}, cel.BoolType,
			readable(parseQuantity))),
		cel.Function("sign", cel.Overload("quantity_sign", one, cel.IntType,
			unary(func(q quantity) ref.Val { return types.Int(q.unscaled.Sign()) }))),
		cel.Function("asApproximateFloat",
			cel.MemberOverload("quantity_get_float", one, cel.DoubleType,
				unary(func(q quantity) ref.Val { return types.Double(q.float()) }))),
		cel.Function("isInteger", cel.MemberOverload("quantity_is_integer", one, cel.BoolType,
			unary(func(q quantity) ref.Val {
				_, ok := q.integer()
				return types.Bool(ok)
			}))),
		cel.Function("asInteger", cel.MemberOverload("quantity_get_int", one, cel.IntType, unary(func(q quantity) ref.Val {
			i, ok := q.integer()
			if !ok {
				return types.WrapErr(errors.New("cannot convert value to integer"))
			}
			return types.Int(i)
		}))),
		combine("add", quantity.add),
		combine("sub", func(a, b quantity) quantity { return a.add(b.negative()) }),
	)
}
