package cel

import (
	"math"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// callCosts computes the cost of calls whose cost depends on their arguments in a particular way, as API servers count
// it.
type callCosts struct{ patterns literals }

// CallCost implements interpreter.ActualCostEstimator. nil means the usual cost.
func (c callCosts) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if len(args) == 0 {
		return nil
	}
	var cost float64
	switch price(function, overload) {
	case nominal:
		cost = 1
	case perCheck:
		cost = checkCost
	case ofSelector:
		cost = selectorCost(size(args[len(args)-1]))
	case perElement:
		cost = traversal(args[0])
	case perCharacter:
		cost = scan(args[0])
	case perCharacterTwice:
		cost = 2 * common.StringTraversalCostFactor * size(args[0])
	case ofJoin:
		cost = 2 * common.StringTraversalCostFactor * size(result)
	case ofPattern:
		cost = c.patterns.searchCost(args, result)
	case ofFormat:
		f, ok := args[0].Value().(*namedFormat)
		if !ok {
			return nil
		}
		cost = patternCost(size(args[1]), float64(f.pattern))
	case ofContainment:
		cost = math.Ceil(2 * scan(args[0]))
		if function == "containsCIDR" {
			cost += math.Ceil(scan(args[0])) + 1
		}
		if overload == containsIPText || overload == containsCIDRText {
			cost += math.Ceil(scan(args[1]))
		}
	case ofEquality:
		if !isOpaque(args[0].Type().TypeName()) {
			return nil
		}
		cost = 1
	default:
		return nil
	}
	units := uint64(math.Ceil(cost))
	return &units
}

// prices are the ways to charge for a call.
type prices int

const (
	usual    prices = iota
	nominal         // one unit
	perCheck        // a question to the authorizer
	ofSelector
	perElement
	perCharacter
	perCharacterTwice // it reads a text and creates a new one
	ofReplacement     // perCharacterTwice, but the length of the result depends on all arguments
	ofSplit
	ofJoin
	ofPattern
	ofFormat
	ofContainment
	ofEquality
)

// price returns how a function is charged.
func price(function, overload string) prices {
	switch function {
	case "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery", "format.named",
		"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
		"isGlobalUnicast",
		"sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub",
		"major", "minor", "patch",
		"serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error",
		"errored":
		return nominal
	case "check":
		return perCheck
	case "fieldSelector", "labelSelector":
		return ofSelector
	case "ip":
		if overload == ipOfCIDR {
			return nominal
		}
		return perCharacter
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes":
		return perElement
	case "url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "cidr", "isIP", "isCIDR",
		"quantity", "isQuantity", "semver", "isSemver":
		return perCharacter
	case "ip.isCanonical":
		return perCharacterTwice
	case "replace":
		return ofReplacement
	case "split":
		return ofSplit
	case "join":
		return ofJoin
	case "matches", "find", "findAll":
		return ofPattern
	case "validate":
		return ofFormat
	case "containsIP", "containsCIDR":
		return ofContainment
	case "_==_":
		return ofEquality
	}
	return usual
}

// isOpaque reports whether a comparison of two values of a type costs one unit.
func isOpaque(typeName string) bool {
	switch typeName {
	case urlTypeName, quantityTypeName, semverTypeName, formatTypeName, ipTypeName, cidrTypeName:
		return true
	}
	return false
}

func size(v ref.Val) float64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return float64(n)
		}
	}
	return 1
}

func scan(v ref.Val) float64 { return size(v) * common.StringTraversalCostFactor }

// checkCost is the cost of a question to the authorizer. It allows two questions in an expression.
const checkCost = 350_000

// selectorCost returns the cost of parsing a selector of some length. API servers assume a requirement for every two
// characters.
func selectorCost(length float64) float64 {
	requirements := math.Ceil(length / 2)
	return common.ListCreateBaseCost + math.Ceil(length*common.StringTraversalCostFactor) + requirements*(common.ListCreateBaseCost+common.StructCreateBaseCost)
}

// patternCost returns the cost of matching a text of one length with a regular expression of another.
func patternCost(text, pattern float64) float64 {
	return math.Ceil((text+1)*common.StringTraversalCostFactor) * math.Ceil(pattern*common.RegexStringLengthCostFactor)
}

// traversal returns the cost of reading a whole value.
func traversal(v ref.Val) float64 {
	cost := 0.0
	switch v := v.(type) {
	case types.String:
		return math.Floor(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return math.Floor(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			cost += traversal(it.Next())
		}
		return cost
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			cost += traversal(key) + traversal(v.Get(key))
		}
		return cost
	}
	return 1
}
