package cel

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/decorum-go/decorum/internal/schema"
)

// node is a place of a kind: its rules, and the places below it that have rules.
type node struct {
	schema *schema.Schema
	rules  []*rule
	fields map[string]*node // the fields of a struct
	values *node            // the values of a map
	items  *node            // the elements of a list
}

// rule is a compiled rule.
type rule struct {
	schema.Rule
	program cel.Program
	message cel.Program // nil without a messageExpression
	// cost and messageCost are the highest costs of the expressions, as CEL estimates them.
	cost, messageCost uint64
	transition        bool       // the rule uses oldSelf
	at                memberPath // FieldPath
}

// compiler builds the nodes of a kind.
type compiler struct {
	declared *declarations
	env      *cel.Env
	nodes    map[nodeKey]*node
	errs     []error
}

// nodeKey identifies a node. One schema can have two nodes: one with oldSelf, and one without it for elements of a list
// without keys, which cannot be matched with their older values.
type nodeKey struct {
	schema   *schema.Schema
	hasOlder bool
}

func newCompiler() (*compiler, error) {
	base, err := environment()
	if err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	c := &compiler{declared: newDeclarations(base.CELTypeProvider()), nodes: map[nodeKey]*node{}}
	if c.env, err = base.Extend(cel.CustomTypeProvider(c.declared)); err != nil {
		return nil, fmt.Errorf("cel: %w", err)
	}
	return c, nil
}

// root compiles the rules of a kind. It ignores rules below the metadata of a Go type, which the server validates
// itself.
func (c *compiler) root(s *schema.Schema) *node {
	seen := rootOf(s)
	n := c.node(seen, "self", true)
	if !s.FromOpenAPI() {
		delete(n.fields, "metadata")
	}
	return n
}

// node compiles the rules of a place and of the places below it. It stores the node before it compiles those below,
// because a type may contain itself.
func (c *compiler) node(s *schema.Schema, place string, hasOlder bool) *node {
	key := nodeKey{s, hasOlder}
	if n, ok := c.nodes[key]; ok {
		return n
	}
	n := &node{schema: s}
	c.nodes[key] = n
	envs := &environments{c: c, self: c.declared.typeOf(s)}
	for i, r := range s.Constraints().Rules {
		compiled, err := envs.rule(s, r, hasOlder)
		if err != nil {
			c.errs = append(c.errs, fmt.Errorf("cel: %s: rule %d: %w", place, i, err))
			continue
		}
		n.rules = append(n.rules, compiled)
	}
	if object := s.Seen().Object; object != nil {
		n.fields = map[string]*node{}
		for i := range object.Properties {
			p := &object.Properties[i]
			if hasRules(p.Schema, map[*schema.Schema]bool{}) {
				n.fields[p.Name] = c.node(p.Schema, place+"."+p.Name, hasOlder)
			}
		}
	}
	if s.Additional != nil && hasRules(s.Additional, map[*schema.Schema]bool{}) {
		n.values = c.node(s.Additional, place+"[*]", hasOlder)
	}
	if s.Items != nil && hasRules(s.Items, map[*schema.Schema]bool{}) {
		n.items = c.node(s.Items, place+"[*]", hasOlder && s.ListType == schema.MapList)
	}
	return n
}

// hasRules reports whether a place, or one below it, has rules.
func hasRules(s *schema.Schema, seen map[*schema.Schema]bool) bool {
	if s == nil || seen[s] {
		return false
	}
	seen[s] = true
	if len(s.Constraints().Rules) > 0 || hasRules(s.Items, seen) || hasRules(s.Additional, seen) {
		return true
	}
	object := s.Seen().Object
	if object == nil {
		return false
	}
	for i := range object.Properties {
		if hasRules(object.Properties[i].Schema, seen) {
			return true
		}
	}
	return false
}

// environments holds the environments for the rules of one place: with an oldSelf of its type, and with an
// optional one.
type environments struct {
	c               *compiler
	self            *cel.Type
	plain, optional *cel.Env // created when a rule needs them
}

func (e *environments) of(r schema.Rule) (*cel.Env, error) {
	env, older := &e.plain, e.self
	if e.self == nil {
		return nil, fmt.Errorf("a rule cannot validate a value of unknown type, which expressions cannot access")
	}
	if r.OptionalOldSelf {
		env, older = &e.optional, cel.OptionalType(e.self)
	}
	if *env == nil {
		var err error
		if *env, err = e.c.env.Extend(cel.Variable(selfName, e.self), cel.Variable(oldSelfName, older)); err != nil {
			return nil, err
		}
	}
	return *env, nil
}

// rule compiles a rule and its messageExpression. A rule whose expression refers to oldSelf is a transition rule.
func (e *environments) rule(s *schema.Schema, r schema.Rule, hasOlder bool) (*rule, error) {
	if err := checkRule(r); err != nil {
		return nil, err
	}
	env, err := e.of(r)
	if err != nil {
		return nil, err
	}
	out := &rule{Rule: r}
	ast, err := expression(env, r.Rule, cel.BoolType, "cel expression must evaluate to a bool")
	if err != nil {
		return nil, err
	}
	if out.program, out.cost, err = program(env, ast, s); err != nil {
		return nil, err
	}
	for _, reference := range ast.NativeRep().ReferenceMap() {
		out.transition = out.transition || reference.Name == oldSelfName
	}
	switch {
	case out.transition && !hasOlder:
		return nil, fmt.Errorf("oldSelf cannot be used here: no element of a list without keys has an older value")
	case r.OptionalOldSelf && !out.transition:
		return nil, fmt.Errorf("OptionalOldSelf may not be set for a rule that does not use oldSelf")
	}
	if r.MessageExpression != "" {
		ast, err := expression(env, r.MessageExpression, cel.StringType, "messageExpression must evaluate to a string")
		if err != nil {
			return nil, fmt.Errorf("messageExpression: %w", err)
		}
		if out.message, out.messageCost, err = program(env, ast, s); err != nil {
			return nil, fmt.Errorf("messageExpression: %w", err)
		}
	}
	if out.at, err = fieldPath(s, r.FieldPath); err != nil {
		return nil, fmt.Errorf("fieldPath %q: %w", r.FieldPath, err)
	}
	return out, nil
}

func expression(env *cel.Env, text string, want *cel.Type, otherwise string) (*cel.Ast, error) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, fmt.Errorf("compilation failed: %s", strings.TrimSpace(issues.String()))
	}
	if !ast.OutputType().IsExactType(want) {
		return nil, fmt.Errorf("%s", otherwise)
	}
	return ast, nil
}

// program returns the program of an expression about values of a schema, and an estimate of its highest cost.
func program(env *cel.Env, ast *cel.Ast, self *schema.Schema) (p cel.Program, cost uint64, err error) {
	if p, err = env.Program(ast, programOptions()...); err != nil {
		return nil, 0, fmt.Errorf("program instantiation failed: %w", err)
	}
	estimate, err := env.EstimateCost(ast, estimator{sizesOf{self}})
	if err != nil {
		return nil, 0, fmt.Errorf("cost estimation failed: %w", err)
	}
	return p, estimate.Max, nil
}
