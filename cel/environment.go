package cel

import (
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

const (
	selfName    = "self"
	oldSelfName = "oldSelf"
)

// The types of Kubernetes' own functions, and those of their overloads that cost something of their own.
const (
	urlTypeName      = "kubernetes.URL"
	quantityTypeName = "kubernetes.Quantity"
	semverTypeName   = "kubernetes.Semver"
	formatTypeName   = "kubernetes.NamedFormat"
	ipTypeName       = "net.IP"
	cidrTypeName     = "net.CIDR"

	containsIPText   = "cidr_contains_ip_string"
	containsCIDRText = "cidr_contains_cidr_string"
	ipOfCIDR         = "cidr_ip"
)

// What one rule and all rules of an object may cost, in the units of CEL: as much as for custom resources.
const (
	ruleLimit    = 1_000_000
	objectBudget = 10_000_000
	// objectTime bounds all rules of an object, too. It is above what the budget takes, but for loops: what cel-go does to
	// count the cost of one grows with the square of its length, to seconds from some 30,000 elements on.
	objectTime = 5 * time.Second
	// interruptEvery is after how many iterations a rule looks whether its request is over.
	interruptEvery = 100
	// maxNamed and maxNamedBytes bound the broken rules of an object that are told of, as the faults of its schema are.
	maxNamed      = 100
	maxNamedBytes = 64 << 10
	// maxMessage bounds what a messageExpression makes, in bytes.
	maxMessage = 5 << 10
)

// newEnvironment is the language without variables: what custom resources have, as far as it is covered here.
func newEnvironment() (*cel.Env, error) {
	return cel.NewEnv(append([]cel.EnvOption{
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(), cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsVersion(3)),
	}, libraries()...)...)
}

// libraries are the functions of Kubernetes that the language does not have.
func libraries() []cel.EnvOption {
	var all []cel.EnvOption
	all = append(all, listFunctions()...)
	all = append(all, regexFunctions()...)
	all = append(all, urlFunctions()...)
	all = append(all, addressFunctions()...)
	all = append(all, quantityFunctions()...)
	all = append(all, semverFunctions()...)
	return append(all, formatFunctions()...)
}

// programOptions bound what an expression may cost.
func programOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(ruleLimit),
		cel.CostTracking(callCosts{}),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.InterruptCheckFrequency(interruptEvery),
		compiledPatterns(),
	}
}
