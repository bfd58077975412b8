package cel

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
)

// admission implements [rules.Admission]. base has the functions of admission, but no variables.
type admission struct{ base *cel.Env }

// Admission implements [rules.Language].
func (language) Admission() (rules.Admission, error) {
	base, err := admissionEnvironment()
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	return admission{base}, nil
}

// admissionEnvironment returns the language of expressions about a write, without variables.
var admissionEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	base, err := environment()
	if err != nil {
		return nil, err
	}
	return base.Extend(authorizerFunctions()...)
})

// Scope implements [rules.Admission].
func (a admission) Scope() (rules.Scope, error) {
	return &scope{base: a.base, types: newAdmissionTypes(a.base.CELTypeProvider()), envs: map[rules.Visible]*cel.Env{}},
		nil
}

// scope implements [rules.Scope].
type scope struct {
	base      *cel.Env
	types     *declarations
	envs      map[rules.Visible]*cel.Env
	variables []*variable
}

// The names of the variables.
const (
	objectName          = "object"
	oldObjectName       = "oldObject"
	requestName         = "request"
	namespaceObjectName = "namespaceObject"
	paramsName          = "params"
	authorizerName      = "authorizer"
	requestResourceName = "authorizer.requestResource"
	variablesName       = "variables"
)

// env returns the environment of expressions that see v.
func (s *scope) env(v rules.Visible) (*cel.Env, error) {
	if env, ok := s.envs[v]; ok {
		return env, nil
	}
	options := []cel.EnvOption{
		cel.Variable(objectName, cel.DynType),
		cel.Variable(oldObjectName, cel.DynType),
		cel.Variable(requestName, cel.ObjectType(requestTypeName)),
		cel.Variable(namespaceObjectName, cel.ObjectType(namespaceTypeName)),
	}
	if v.Params {
		options = append(options, cel.Variable(paramsName, cel.DynType))
	}
	if v.Authorizer {
		options = append(options, cel.Variable(authorizerName, authorizers.Type),
			cel.Variable(requestResourceName, resourceChecks.Type))
	}
	if v.Variables {
		options = append(options, cel.Variable(variablesName, cel.ObjectType(variablesTypeName)))
	}
	if v.Patches {
		options = append(options, cel.CustomTypeProvider(patchTypes{s.types}), escapeKey())
	} else {
		options = append(options, cel.CustomTypeProvider(s.types))
	}
	env, err := s.base.Extend(options...)
	if err != nil {
		return nil, err
	}
	s.envs[v] = env
	return env, nil
}

// admissionExpression implements [rules.Expression].
type admissionExpression struct {
	text    string
	want    rules.Type
	program cel.Program
	result  *cel.Type
}

// Text implements [rules.Expression].
func (e *admissionExpression) Text() string { return e.text }

// Compile implements [rules.Scope].
func (s *scope) Compile(text string, want rules.Type, v rules.Visible) (rules.Expression, error) {
	e, err := s.compile(text, v, resultTypes(want)...)
	if err != nil {
		return nil, err
	}
	e.want = want
	return e, nil
}

// resultTypes returns the types that the expression may have.
func resultTypes(want rules.Type) []*cel.Type {
	switch want {
	case rules.Text:
		return []*cel.Type{cel.StringType}
	case rules.TextOrNull:
		return []*cel.Type{cel.StringType, cel.NullType}
	case rules.JSONPatch:
		return []*cel.Type{cel.ListType(cel.ObjectType(jsonPatchTypeName))}
	case rules.ApplyConfiguration:
		return []*cel.Type{cel.ObjectType(objectTypeName)}
	}
	return []*cel.Type{cel.BoolType}
}

// compile compiles an expression of one of these types, or of any type if none is given.
func (s *scope) compile(text string, v rules.Visible, want ...*cel.Type) (*admissionExpression, error) {
	env, err := s.env(v)
	if err != nil {
		return nil, fmt.Errorf("unexpected error loading CEL environment: %w", err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, fmt.Errorf("compilation failed: %s", issues)
	}
	if err := checkResult(ast.OutputType(), want); err != nil {
		return nil, err
	}
	p, err := env.Program(ast, programOptions()...)
	if err != nil {
		return nil, fmt.Errorf("program instantiation failed: %w", err)
	}
	return &admissionExpression{text: text, program: p, result: ast.OutputType()}, nil
}

// checkResult returns an error if got is not one of the types. No types stand for any type.
func checkResult(got *cel.Type, want []*cel.Type) error {
	for _, t := range want {
		if got.IsExactType(t) {
			return nil
		}
	}
	switch len(want) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("must evaluate to %v but got %v", want[0], got)
	}
	return fmt.Errorf("must evaluate to one of %v but got %v", want, got)
}

// Define implements [rules.Scope].
func (s *scope) Define(name, text string, v rules.Visible) error {
	e, err := s.compile(text, v)
	d := &variable{name: name, fault: err}
	t := cel.DynType
	if err == nil {
		d.program, t = e.program, variableType(e.result)
	}
	s.variables = append(s.variables, d)
	s.types.structs[variablesTypeName][name] = &types.FieldType{Type: t}
	return err
}

// Evaluate implements [rules.Scope].
func (s *scope) Evaluate(in *rules.Input, budget int64) rules.Evaluation {
	e := &evaluation{left: budget, until: time.Now().Add(objectTime)}
	request := sync.OnceValues(in.Request)
	e.vars = map[string]any{
		objectName:    dynamicOf(in.Object),
		oldObjectName: dynamicOf(in.OldObject),
		requestName: later(func() (ref.Val, error) {
			described, err := request()
			return dynamicOf(described), err
		}),
		namespaceObjectName: dynamicOf(visibleNamespace(in.Namespace)),
		paramsName:          dynamicOf(in.Params),
		variablesName:       newVariableValues(s.variables, e),
	}
	if in.Authorize != nil {
		e.vars[authorizerName] = authorizers.wrap(authorizer{question{ask: in.Authorize}})
		e.vars[requestResourceName] = later(func() (ref.Val, error) {
			described, err := request()
			return resourceChecks.wrap(resourceCheck{question{ask: in.Authorize, check: checkOf(described)}}), err
		})
	}
	return e
}

// later returns a variable that an evaluation computes when an expression first asks for it.
func later(compute func() (ref.Val, error)) func() ref.Val {
	return func() ref.Val {
		v, err := compute()
		if err != nil {
			return types.WrapErr(err)
		}
		return v
	}
}

// visibleNamespace returns a namespace without the member of its metadata that expressions do not see.
func visibleNamespace(namespace doc.Value) doc.Value {
	if m := namespace.Get("metadata"); m.Has("managedFields") {
		return namespace.With("metadata", m.Without("managedFields"))
	}
	return namespace
}

// evaluation implements [rules.Evaluation].
type evaluation struct {
	vars  map[string]any
	left  int64
	until time.Time // bounds the time of all expressions, like objectTime that of rules

	ctx      context.Context // the context of the current expression
	composed uint64          // the cost of the variables that the current expression has computed
}

// Left implements [rules.Evaluation].
func (e *evaluation) Left() int64 { return max(e.left, 0) }

// Value implements [rules.Evaluation].
func (e *evaluation) Value(ctx context.Context, expression rules.Expression) (doc.Value, error) {
	x := expression.(*admissionExpression)
	if e.left < 0 {
		return doc.Value{}, &rules.Exhausted{Text: outOfBudget}
	}
	ctx, stop := context.WithDeadline(ctx, e.until)
	defer stop()
	e.ctx, e.composed = ctx, 0
	result, details, err := x.program.ContextEval(ctx, e.vars)
	if !e.charge(e.composed) {
		return doc.Value{}, &rules.Exhausted{Text: outOfBudget}
	}
	if details == nil || details.ActualCost() == nil {
		e.left = -1
		return doc.Value{}, &rules.Exhausted{Text: "runtime cost could not be calculated for expression: " + x.text +
			", no further expression will be run"}
	}
	if !e.charge(*details.ActualCost()) {
		return doc.Value{}, &rules.Exhausted{Text: outOfBudget}
	}
	if err != nil {
		return doc.Value{}, fmt.Errorf("expression '%v' resulted in error: %w", x.text, err)
	}
	return resultOf(x.want, result)
}

// charge takes a cost out of the budget. It reports whether the budget was large enough.
func (e *evaluation) charge(cost uint64) bool {
	if cost > math.MaxInt64 || int64(cost) > e.left {
		e.left = -1
		return false
	}
	e.left -= int64(cost)
	return true
}

// checkOf returns the question of authorizer.requestResource.
func checkOf(request doc.Value) rules.Check {
	of := request.Get("requestResource")
	return rules.Check{Group: of.Get("group").Text(), Resource: of.Get("resource").Text(),
		Subresource: request.Get("requestSubResource").Text(), Namespace: request.Get("namespace").Text(),
		Name: request.Get("name").Text()}
}

// isPatchType reports whether a name is that of a type of patches.
func isPatchType(name string) bool {
	return name == jsonPatchTypeName || name == objectTypeName || strings.HasPrefix(name, objectTypeName+".")
}
