package cel

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
)

// Judge implements [rules.Language]. It finds the same faults as kube-apiserver in the rules of a
// CustomResourceDefinition.
func (language) Judge(s *schema.Schema) (map[*schema.Schema][]rules.Verdict, error) {
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}
	verdicts := map[*schema.Schema][]rules.Verdict{}
	root := rootOf(s)
	c.judge(root, verdicts)
	if list, ok := verdicts[root]; ok {
		verdicts[s] = list
	}
	return verdicts, nil
}

// judge judges the rules of a place and of the places below it.
func (c *compiler) judge(s *schema.Schema, verdicts map[*schema.Schema][]rules.Verdict) {
	if s == nil {
		return
	}
	envs := &environments{c: c, self: c.declared.typeOf(s)}
	for _, r := range s.Constraints().Rules {
		if envs.self == nil {
			break
		}
		v := envs.verdict(s, r)
		v.Most = maxRequest / (minSize(s) + 1)
		verdicts[s] = append(verdicts[s], v)
	}
	if object := s.Seen().Object; object != nil {
		for i := range object.Properties {
			c.judge(object.Properties[i].Schema, verdicts)
		}
	}
	c.judge(s.Additional, verdicts)
	c.judge(s.Items, verdicts)
}

// verdict compiles a rule. A rule that does not compile has no cost.
func (e *environments) verdict(s *schema.Schema, r schema.Rule) (v rules.Verdict) {
	if strings.TrimSpace(r.Rule) == "" {
		return v
	}
	env, err := e.of(r)
	if err != nil {
		v.Fault = err.Error()
		return v
	}
	ast, err := expression(env, r.Rule, cel.BoolType, "cel expression must evaluate to a bool")
	if err != nil {
		v.Fault = err.Error()
		return v
	}
	for _, reference := range ast.NativeRep().ReferenceMap() {
		v.UsesOldSelf = v.UsesOldSelf || reference.Name == oldSelfName
	}
	if _, v.Cost, err = program(env, ast, s); err != nil {
		v.Fault = err.Error()
		return v
	}
	if r.MessageExpression == "" {
		return v
	}
	if ast, err = expression(env, r.MessageExpression, cel.StringType,
		"messageExpression must evaluate to a string"); err == nil {
		_, v.MessageCost, err = program(env, ast, s)
	}
	if err != nil {
		v.MessageFault = err.Error()
		if !strings.HasPrefix(v.MessageFault, "messageExpression") {
			v.MessageFault = fmt.Sprintf("messageExpression %s", v.MessageFault)
		}
	}
	return v
}
