package cel

import (
	"math"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// callCosts says what a call has cost where that depends on its arguments in a way of its own, as API servers count it.
type callCosts struct{}

// CallCost implements interpreter.ActualCostEstimator. nil is the usual cost.
func (callCosts) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	if len(args) == 0 {
		return nil
	}
	var cost float64
	switch function {
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		return traversal(args[0])
	case "url", "lowerAscii", "upperAscii", "substring", "trim":
		cost = size(args[0]) * common.StringTraversalCostFactor
	case "replace", "split":
		cost = size(args[0]) * 2 * common.StringTraversalCostFactor
	case "join":
		cost = size(result) * 2 * common.StringTraversalCostFactor
	case "find", "findAll":
		if len(args) < 2 {
			return nil
		}
		cost = math.Ceil((1+size(args[0]))*common.StringTraversalCostFactor) * math.Ceil(size(args[1])*common.RegexStringLengthCostFactor)
	default:
		return nil
	}
	units := uint64(math.Ceil(cost))
	return &units
}

func size(v ref.Val) float64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return float64(n)
		}
	}
	return 1
}

// traversal is the cost of looking at all of a list, or at all of a text.
func traversal(v ref.Val) *uint64 {
	cost := size(v)
	switch v.(type) {
	case types.String, types.Bytes:
		cost = math.Ceil(cost * common.StringTraversalCostFactor)
	}
	units := uint64(cost)
	return &units
}
