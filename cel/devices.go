package cel

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"

	"github.com/decorum-go/decorum/internal/rules"
)

// The names of the variable in expressions that select devices, and of its type and fields.
const (
	deviceName     = "device"
	deviceTypeName = "kubernetes.DRADevice"
	driverName     = "driver"
	sharedName     = "allowMultipleAllocations"
	attributesName = "attributes"
	capacityName   = "capacity"
)

// The sizes of the parts of a device.
const (
	longestDomain    = 63
	longestID        = 32
	longestAttribute = 64
	mostAttributes   = 32 // also the largest number of capacities
)

// DeviceSelector implements [rules.Language].
func (language) DeviceSelector(expression string) (v rules.Verdict, err error) {
	env, err := deviceEnvironment()
	if err != nil {
		return v, fmt.Errorf("unexpected error loading CEL environment: %w", err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		v.Fault = "compilation failed: " + issues.String()
		return v, nil
	}
	if t := ast.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.AnyType) {
		v.Fault = fmt.Sprintf("must evaluate to %v or the unknown type, not %v", cel.BoolType, t)
		return v, nil
	}
	if _, err = env.Program(ast, programOptions()...); err != nil {
		return v, fmt.Errorf("program instantiation failed: %w", err)
	}
	estimate, err := env.EstimateCost(ast, estimator{sizesOfDevice{}})
	if err != nil {
		return v, fmt.Errorf("cost estimation failed: %w", err)
	}
	v.Cost = estimate.Max
	return v, nil
}

// deviceEnvironment returns the language of expressions that select devices. An attribute has a domain and an
// identifier, and a value of any type.
var deviceEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	base, err := environment()
	if err != nil {
		return nil, err
	}
	byName := func(values *cel.Type) *cel.Type {
		return cel.MapType(cel.StringType, cel.MapType(cel.StringType, values))
	}
	d := newDeclarations(base.CELTypeProvider())
	d.structs[deviceTypeName] = map[string]*types.FieldType{
		driverName:     {Type: cel.StringType},
		sharedName:     {Type: cel.BoolType},
		attributesName: {Type: byName(cel.AnyType)},
		capacityName:   {Type: byName(cel.ObjectType(quantityTypeName))},
	}
	return base.Extend(ext.Bindings(ext.BindingsVersion(0)), cel.CustomTypeProvider(d),
		cel.Variable(deviceName, cel.ObjectType(deviceTypeName)))
})

// sizesOfDevice estimates the sizes of the parts of a device.
type sizesOfDevice struct{}

// EstimateSize implements sizes.
func (sizesOfDevice) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 || path[0] != deviceName {
		return nil
	}
	if len(path) == 1 {
		return &checker.SizeEstimate{}
	}
	switch path[1] {
	case driverName:
		return leaf(path[2:], longestDomain)
	case sharedName:
		return leaf(path[2:], 1)
	case attributesName:
		return sizeOfMap(path[2:], longestAttribute, true)
	case capacityName:
		return sizeOfMap(path[2:], 0, false)
	}
	return nil
}

// leaf returns the size of a value without parts.
func leaf(path []string, most uint64) *checker.SizeEstimate {
	if len(path) > 0 {
		return nil
	}
	return &checker.SizeEstimate{Max: most}
}

// sizeOfMap returns the size of a part of a map from domains to maps from identifiers to values. API servers know the
// size of an attribute that an expression reads like a field, but not that of a capacity.
func sizeOfMap(path []string, ofValue uint64, hasFields bool) *checker.SizeEstimate {
	for i, most := range []uint64{longestDomain, longestID} {
		switch {
		case len(path) == 0:
			return &checker.SizeEstimate{Max: mostAttributes}
		case path[0] == "@keys":
			return leaf(path[1:], most)
		case path[0] != "@values" && path[0] != "@items" && (i == 0 || !hasFields):
			return nil
		}
		path = path[1:]
	}
	return leaf(path, ofValue)
}
