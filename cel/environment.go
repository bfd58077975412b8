package cel

import (
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

const (
	selfName    = "self"
	oldSelfName = "oldSelf"
)

// The types of Kubernetes' own functions, and the overloads that have a cost of their own.
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

// The cost limits of one rule and of all rules of an object, in units of CEL. They are those of custom resources.
const (
	ruleLimit    = 1_000_000
	objectBudget = 10_000_000
	// objectTime bounds the time of all rules of an object. The budget runs out earlier except in loops: the time that
	// cel-go needs to count the cost of a loop grows with the square of its length, to seconds from some 30,000 elements
	// on.
	objectTime = 5 * time.Second
	// interruptEvery is after how many iterations a rule checks whether its request has ended.
	interruptEvery = 100
	// maxNamed and maxNamedBytes bound how many broken rules of an object the answer names. The faults of its schema have
	// the same limits.
	maxNamed      = 100
	maxNamedBytes = 64 << 10
	// maxMessage bounds the result of a messageExpression, in bytes.
	maxMessage = 5 << 10
)

// withoutMatches is the standard library without the function that regexFunctions replaces.
var withoutMatches = env.NewLibrarySubset().AddExcludedFunctions(&env.Function{Name: overloads.Matches})

// environment returns the language without variables: that of custom resources, as far as this package implements it.
// It never changes, so one serves all kinds of a process.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewCustomEnv(append([]cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(withoutMatches)),
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(),
			cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsVersion(3)),
	}, libraries()...)...)
})

// libraries returns the functions that Kubernetes adds to the language.
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

// programOptions bounds the cost of an expression.
func programOptions() []cel.ProgramOption {
	patterns := literals{}
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(ruleLimit),
		cel.CostTracking(callCosts{patterns}),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.InterruptCheckFrequency(interruptEvery),
		patterns.compiled(),
	}
}
