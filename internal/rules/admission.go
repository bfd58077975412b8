package rules

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/internal/doc"
)

// AdmissionOf returns the language of admission. It returns an error without an evaluator.
func AdmissionOf(e Evaluator) (Admission, error) {
	if e == nil {
		return nil, errNoLanguage
	}
	return e.language().Admission()
}

var errNoLanguage = errors.New("expressions of admission need a language: set rest.Options.CEL to cel.Evaluator() of module github.com/decorum-go/decorum/cel")

// Admission compiles expressions about a write. It is safe for concurrent use.
//
// Expressions see the variables object, oldObject, request and namespaceObject, which are null if the write does not
// have them. [Visible] adds more variables.
type Admission interface {
	// Scope returns an empty scope.
	Scope() (Scope, error)
}

// Visible says which further variables and types an expression sees.
type Visible struct {
	// Variables are the variables of the scope.
	Variables bool
	// Params is the variable params.
	Params bool
	// Authorizer is the variable authorizer, and authorizer.requestResource.
	Authorizer bool
	// Patches are the types JSONPatch and Object, and the functions that patches need.
	Patches bool
}

// Scope compiles expressions that share variables. A scope and its expressions may be used concurrently after the last
// call of Define and Compile.
type Scope interface {
	// Define compiles the variable variables.NAME of the expressions that are compiled later. If it returns an error, the
	// later expressions can still refer to the variable, and fail.
	Define(name, text string, v Visible) error
	// Compile compiles an expression. An error describes the fault of the text to clients, in the words of API servers.
	Compile(text string, want Type, v Visible) (Expression, error)
	// Evaluate returns an evaluation of expressions of this scope about one write. All of them together, with the
	// variables that they use, may cost budget. An evaluation serves one goroutine, and keeps the values of variables that
	// it has computed.
	Evaluate(in *Input, budget int64) Evaluation
}

// Type is a type of results.
type Type int

// These are the types of results. The result of a patch is a document: a list of maps with the members of the
// operations of a JSON patch, or an apply configuration.
const (
	Bool Type = iota
	Text
	TextOrNull
	JSONPatch
	ApplyConfiguration
)

// Expression is a compiled expression.
type Expression interface{ Text() string }

// Evaluation computes the results of expressions about one write.
type Evaluation interface {
	// Value returns the result of an expression. It returns an *[Exhausted] if the budget is spent; all later expressions
	// would fail, too. Any other error concerns this expression only. The evaluation ends early if ctx does.
	Value(ctx context.Context, e Expression) (doc.Value, error)
	// Left returns the rest of the budget.
	Left() int64
}

// Exhausted is the error of an evaluation whose budget is spent.
type Exhausted struct{ Text string }

// Error implements error.
func (e *Exhausted) Error() string { return e.Text }

// The budgets of evaluations, in units of CEL. They are those of API servers: for all validations of a policy in one of
// its bindings, and for all match conditions of one webhook or policy.
const (
	PolicyBudget     = 10_000_000
	ConditionsBudget = 2_500_000
)

// Input holds the variables of expressions about one write.
type Input struct {
	// Object and OldObject are absent if the write does not have them.
	Object, OldObject doc.Value
	// Request describes the write like the request of an AdmissionReview of admission.k8s.io/v1, without uid and objects.
	// Few expressions ask for it, so it is a function, which an [Evaluation] calls at most once.
	Request func() (doc.Value, error)
	// Namespace is the namespace of the object, if the expressions see it. Its managedFields are not visible.
	Namespace doc.Value
	// Params is the object that configures the expressions. It may be absent.
	Params doc.Value
	// Authorize answers the questions of authorizer. If it is nil, expressions that ask fail.
	Authorize func(Check) Ruling
}

// Check is a question of an expression about the rights of a user.
type Check struct {
	// ServiceAccount and ServiceAccountNamespace name the user, unless it is the user of the request.
	ServiceAccount, ServiceAccountNamespace string
	// Verb is the verb, or the HTTP method if Path is set.
	Verb string
	// Path is a path outside all resources.
	Path                                          string
	Group, Resource, Subresource, Namespace, Name string
	FieldSelector, LabelSelector                  string
}

// Ruling is the answer to a [Check].
type Ruling struct {
	Allowed bool
	Reason  string
	Err     error
}
