package cel

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

const (
	// longestNamedFormat is the length of the regular expression that the estimate assumes for every format.
	longestNamedFormat = 128
	// maxFormatName is the length that the estimate assumes for the name of a format.
	maxFormatName = 64
)

// estimator estimates the costs of expressions from the sizes of the values to which they refer.
type estimator struct{ sizes }

// sizes estimates the sizes of values. nil means an unknown size.
type sizes interface {
	EstimateSize(element checker.AstNode) *checker.SizeEstimate
}

// EstimateCallCost implements checker.CostEstimator: it estimates the cost of a call and the size of its result. nil
// means the usual cost.
func (e estimator) EstimateCallCost(function, overload string, target *checker.AstNode,
	args []checker.AstNode) *checker.CallEstimate {
	if target != nil {
		args = append([]checker.AstNode{*target}, args...)
	}
	if len(args) == 0 {
		return nil
	}
	first := e.size(args[0])
	scan := first.MultiplyByCostFactor(common.StringTraversalCostFactor)
	switch price(function, overload) {
	case nominal:
		return estimated(fixed(1))
	case perElement:
		return estimated(e.elements(function, args[0]))
	case perCharacter:
		switch function {
		case "url", "lowerAscii", "upperAscii", "substring", "trim":
			return &checker.CallEstimate{CostEstimate: scan, ResultSize: &first}
		}
		return estimated(scan)
	case perCharacterTwice:
		return estimated(first.MultiplyByCostFactor(2 * common.StringTraversalCostFactor))
	case ofReplacement:
		result := e.replaced(args)
		return &checker.CallEstimate{CostEstimate: first.MultiplyByCostFactor(2 * common.StringTraversalCostFactor),
			ResultSize: &result}
	case ofSplit:
		result := checker.SizeEstimate{Max: first.Max}
		if n, ok := literalInt(args, 2); ok {
			result.Max = uint64(n)
		}
		return &checker.CallEstimate{CostEstimate: first.MultiplyByCostFactor(2 * common.StringTraversalCostFactor),
			ResultSize: &result}
	case ofJoin:
		result := e.joined(args)
		return &checker.CallEstimate{CostEstimate: result.MultiplyByCostFactor(common.StringTraversalCostFactor),
			ResultSize: &result}
	case ofPattern:
		text := first.Add(checker.FixedSizeEstimate(1)).MultiplyByCostFactor(common.StringTraversalCostFactor)
		pattern := e.size(args[1]).MultiplyByCostFactor(common.RegexStringLengthCostFactor)
		return &checker.CallEstimate{CostEstimate: text.Multiply(pattern), ResultSize: &checker.SizeEstimate{Max: first.Max}}
	case ofFormat:
		text := e.size(args[1]).MultiplyByCostFactor(common.StringTraversalCostFactor)
		return estimated(text.MultiplyByCostFactor(longestNamedFormat * common.RegexStringLengthCostFactor))
	case ofContainment:
		return estimated(e.contained(function, overload, args[1]))
	case ofEquality:
		return e.equality(args[0], args[1])
	}
	return nil
}

func estimated(cost checker.CostEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: cost}
}

func fixed(units uint64) checker.CostEstimate { return checker.FixedCostEstimate(units) }

func (e estimator) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := e.EstimateSize(n); size != nil {
		return *size
	}
	return checker.UnknownSizeEstimate()
}

// elements returns the cost of reading each element of a list, or a text.
func (e estimator) elements(function string, list checker.AstNode) checker.CostEstimate {
	one := fixed(1)
	element := elementOf(list)
	switch {
	case element != nil:
		if k := element.Type().Kind(); k == types.StringKind || k == types.BytesKind {
			one = one.Add(e.size(element).MultiplyByCostFactor(common.StringTraversalCostFactor))
		}
	case function != "includes":
		return e.size(list).MultiplyByCostFactor(common.StringTraversalCostFactor)
	}
	return e.size(list).MultiplyByCost(one)
}

// replaced returns the size of a text in which one part is replaced by another.
func (e estimator) replaced(args []checker.AstNode) checker.SizeEstimate {
	text, from, to := e.size(args[0]), e.size(args[1]), e.size(args[2])
	switch {
	case from.Min == 0: // the empty text is found before and behind every character
		count := checker.SizeEstimate{Max: text.Max}.Add(checker.FixedSizeEstimate(1))
		return checker.SizeEstimate{Max: count.Multiply(to).Add(text).Max}
	case to.Max <= from.Min: // the text does not become longer
		return checker.SizeEstimate{Max: text.Max}
	}
	count := checker.SizeEstimate{Max: uint64(math.Ceil(float64(text.Max) / float64(from.Min)))}
	return checker.SizeEstimate{Max: count.Multiply(to).Max}
}

// joined returns the size of the texts of a list, joined by a separator.
func (e estimator) joined(args []checker.AstNode) checker.SizeEstimate {
	list := e.size(args[0])
	var result checker.SizeEstimate
	if element := elementOf(args[0]); element != nil {
		result = list.Multiply(e.size(element))
	}
	if len(args) > 1 {
		separators := checker.SizeEstimate{Min: max(list.Min, 1) - 1, Max: max(list.Max, 1) - 1}
		result = result.Add(e.size(args[1]).Multiply(separators))
	}
	return result
}

// contained returns the cost of checking whether an address or a network is part of a network.
func (e estimator) contained(function, overload string, other checker.AstNode) checker.CostEstimate {
	address := checker.SizeEstimate{Min: 4, Max: 16}
	cost := address.Add(address).MultiplyByCostFactor(common.StringTraversalCostFactor)
	if function == "containsCIDR" {
		cost = cost.Add(address.MultiplyByCostFactor(common.StringTraversalCostFactor)).Add(fixed(1))
	}
	if overload == containsIPText || overload == containsCIDRText {
		cost = cost.Add(e.size(other).MultiplyByCostFactor(common.StringTraversalCostFactor))
	}
	return cost
}

// equality returns the cost of comparing values of one of Kubernetes' types.
func (e estimator) equality(a, b checker.AstNode) *checker.CallEstimate {
	name := a.Type().TypeName()
	if name != b.Type().TypeName() {
		return nil
	}
	switch name {
	case formatTypeName:
		return estimated(checker.CostEstimate{Max: maxFormatName}.MultiplyByCostFactor(common.StringTraversalCostFactor))
	case urlTypeName:
		size := checker.FixedSizeEstimate(1)
		if computed := b.ComputedSize(); computed != nil {
			size = *computed
		}
		return estimated(size.MultiplyByCostFactor(common.StringTraversalCostFactor))
	case quantityTypeName, semverTypeName, ipTypeName, cidrTypeName:
		return estimated(fixed(1))
	}
	return nil
}

func literalInt(args []checker.AstNode, i int) (int64, bool) {
	if i >= len(args) {
		return 0, false
	}
	literal := args[i].Expr().AsLiteral()
	if literal == nil {
		return 0, false
	}
	n, ok := literal.Value().(int64)
	return n, ok
}

// element stands for any element of a list in an expression.
type element struct {
	path []string // nil if the list does not come from a schema
	typ  *types.Type
}

// elementOf returns the element of a list, or nil for other values.
func elementOf(list checker.AstNode) checker.AstNode {
	parameters := list.Type().Parameters()
	if len(parameters) == 0 {
		return nil
	}
	var path []string
	if to := list.Path(); to != nil {
		path = append(to[:len(to):len(to)], "@items")
	}
	return element{path, parameters[0]}
}

// Path implements checker.AstNode.
func (e element) Path() []string { return e.path }

// Type implements checker.AstNode.
func (e element) Type() *types.Type { return e.typ }

// Expr implements checker.AstNode.
func (e element) Expr() ast.Expr { return nil }

// ComputedSize implements checker.AstNode.
func (e element) ComputedSize() *checker.SizeEstimate { return nil }
