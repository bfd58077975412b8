package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// elementType is a type whose lists have functions.
type elementType struct {
	name string
	typ  *cel.Type
	zero ref.Val // the sum of an empty list; nil if the type has no sums
}

func elementTypes() []elementType {
	return []elementType{
		{"int", cel.IntType, types.IntZero},
		{"uint", cel.UintType, types.Uint(0)},
		{"double", cel.DoubleType, types.Double(0)},
		{"duration", cel.DurationType, types.Duration{}},
		{"bool", cel.BoolType, nil},
		{"timestamp", cel.TimestampType, nil},
		{"string", cel.StringType, nil},
		{"bytes", cel.BytesType, nil},
	}
}

// listFunctions returns isSorted, sum, min, max, indexOf, lastIndexOf and includes.
func listFunctions() []cel.EnvOption {
	element := cel.TypeParamType("T")
	find := func(name, id string, last bool) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload(id, []*cel.Type{cel.ListType(element), element}, cel.IntType,
			cel.BinaryBinding(func(list, value ref.Val) ref.Val { return indexOf(list, value, last) })))
	}
	all := []cel.EnvOption{find("indexOf", "list_a_index_of_int", false),
		find("lastIndexOf", "list_a_last_index_of_int", true),
		cel.Function("includes", cel.MemberOverload("dyn_includes_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType,
			cel.BinaryBinding(includes)))}
	for _, e := range elementTypes() {
		list := []*cel.Type{cel.ListType(e.typ)}
		all = append(all,
			cel.Function("isSorted", cel.MemberOverload("list_"+e.name+"_is_sorted_bool", list, cel.BoolType,
				cel.UnaryBinding(isSorted))),
			cel.Function("min", cel.MemberOverload("list_"+e.name+"_min_"+e.name, list, e.typ,
				cel.UnaryBinding(func(l ref.Val) ref.Val { return extreme(l, "min", types.IntOne) }))),
			cel.Function("max", cel.MemberOverload("list_"+e.name+"_max_"+e.name, list, e.typ,
				cel.UnaryBinding(func(l ref.Val) ref.Val { return extreme(l, "max", types.IntNegOne) }))))
		if e.zero != nil {
			all = append(all, cel.Function("sum", cel.MemberOverload("list_"+e.name+"_sum_"+e.name, list, e.typ,
				cel.UnaryBinding(func(l ref.Val) ref.Val { return sum(l, e.zero) }))))
		}
	}
	return all
}

// compare returns the order of two values of an ordered type, or an error.
func compare(a, b ref.Val) ref.Val {
	c, ok := a.(traits.Comparer)
	if !ok {
		return types.MaybeNoSuchOverloadErr(a)
	}
	return c.Compare(b)
}

func isSorted(list ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var before ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		if before != nil {
			switch order := compare(before, e); {
			case types.IsUnknownOrError(order):
				return order
			case order == types.IntOne:
				return types.False
			}
		}
		before = e
	}
	return types.True
}

// extreme returns the smallest or the largest element of a list. worse is the result of compare if the first of
// two elements is the less extreme one.
func extreme(list ref.Val, name string, worse ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var found ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		if found == nil {
			found = e
			continue
		}
		switch order := compare(found, e); {
		case types.IsUnknownOrError(order):
			return order
		case order == worse:
			found = e
		}
	}
	if found == nil {
		return types.NewErr("%s called on empty list", name)
	}
	return found
}

// includes reports whether a value is an element of a list, or is the value itself.
func includes(target, value ref.Val) ref.Val {
	if l, ok := target.(traits.Lister); ok {
		return types.Bool(indexOf(l, value, false) != types.Int(-1))
	}
	return types.Bool(target.Equal(value) == types.True)
}

func sum(list, zero ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	total := zero
	for it := l.Iterator(); it.HasNext() == types.True; {
		a, ok := total.(traits.Adder)
		if !ok {
			return types.MaybeNoSuchOverloadErr(total)
		}
		if total = a.Add(it.Next()); types.IsUnknownOrError(total) {
			return total
		}
	}
	return total
}

func indexOf(list, value ref.Val, last bool) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	found, i := types.Int(-1), types.Int(0)
	for it := l.Iterator(); it.HasNext() == types.True; i++ {
		if it.Next().Equal(value) == types.True {
			if found = i; !last {
				return found
			}
		}
	}
	return found
}
