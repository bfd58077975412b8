package cel

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// variable is a compiled variable of a scope.
type variable struct {
	name    string
	program cel.Program // nil if the variable does not compile
	fault   error
}

// variableType returns the type that later expressions assume for a variable. Like API servers, they know of structs
// only that they are dynamic.
func variableType(t *cel.Type) *cel.Type {
	switch t.Kind() {
	case types.ListKind:
		return cel.ListType(variableType(t.Parameters()[0]))
	case types.MapKind:
		return cel.MapType(variableType(t.Parameters()[0]), variableType(t.Parameters()[1]))
	case types.AnyKind, types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind,
		types.NullTypeKind, types.StringKind, types.TimestampKind, types.UintKind:
		return t
	}
	return cel.DynType
}

// variableValues is the variable variables. It computes the value of a variable when an expression uses it first. As a
// map it has all variables, which are computed together.
type variableValues struct {
	*lazyMap
	of    map[string]*variable
	known map[string]ref.Val
	in    *evaluation
}

func newVariableValues(all []*variable, in *evaluation) *variableValues {
	v := &variableValues{of: make(map[string]*variable, len(all)), known: map[string]ref.Val{}, in: in}
	for _, d := range all {
		v.of[d.name] = d
	}
	v.lazyMap = lazyMapOf(func() traits.Mapper {
		entries := make(map[ref.Val]ref.Val, len(v.of))
		for name, d := range v.of {
			entries[types.String(name)] = v.value(d)
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, entries)
	})
	return v
}

// Contains implements traits.Container.
func (v *variableValues) Contains(key ref.Val) ref.Val {
	_, found := v.Find(key)
	return types.Bool(found)
}

// Find implements traits.Mapper.
func (v *variableValues) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	d, ok := v.of[string(name)]
	if !ok {
		return nil, false
	}
	return v.value(d), true
}

// Get implements traits.Indexer.
func (v *variableValues) Get(key ref.Val) ref.Val {
	value, found := v.Find(key)
	if !found {
		return types.ValOrErr(key, "no such key: %v", key)
	}
	return value
}

// value returns the value of a variable, which it computes once for all expressions of an evaluation.
func (v *variableValues) value(d *variable) ref.Val {
	value, ok := v.known[d.name]
	if !ok {
		value = v.compute(d)
		v.known[d.name] = value
	}
	return value
}

func (v *variableValues) compute(d *variable) ref.Val {
	if d.fault != nil {
		return types.NewErr("composited variable %q fails to compile: %v", d.name, d.fault)
	}
	value, details, err := d.program.ContextEval(v.in.ctx, v.in.vars)
	if details == nil || details.ActualCost() == nil {
		return types.NewErr("unable to calculate cost of variable %q", d.name)
	}
	v.in.composed += *details.ActualCost()
	if err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", d.name, err)
	}
	return value
}
