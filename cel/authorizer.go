package cel

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/rules"
)

// question is a question about the rights of a user that an expression builds step by step.
type question struct {
	ask   func(rules.Check) rules.Ruling
	check rules.Check
}

// These types are the steps of a question.
type (
	authorizer    struct{ question }
	pathCheck     struct{ question }
	groupCheck    struct{ question }
	resourceCheck struct{ question }
)

// The types of the steps for expressions.
var (
	authorizers = &opaqueType[authorizer]{Type: cel.ObjectType("kubernetes.authorization.Authorizer"),
		equal: func(a, b authorizer) bool { return a.check == b.check }}
	pathChecks = &opaqueType[pathCheck]{Type: cel.ObjectType("kubernetes.authorization.PathCheck"),
		equal: func(a, b pathCheck) bool { return a.check == b.check }}
	groupChecks = &opaqueType[groupCheck]{Type: cel.ObjectType("kubernetes.authorization.GroupCheck"),
		equal: func(a, b groupCheck) bool { return a.check == b.check }}
	resourceChecks = &opaqueType[resourceCheck]{Type: cel.ObjectType("kubernetes.authorization.ResourceCheck"),
		equal: func(a, b resourceCheck) bool { return a.check == b.check }}
	rulings = &opaqueType[rules.Ruling]{Type: cel.ObjectType("kubernetes.authorization.Decision"),
		equal: func(a, b rules.Ruling) bool {
			return a.Allowed == b.Allowed && a.Reason == b.Reason && errorText(a.Err) == errorText(b.Err)
		}}
)

// authorizerFunctions returns the functions of authorizer.
func authorizerFunctions() []cel.EnvOption {
	// refine returns a step that sets one part of the question about a resource.
	refine := func(name string, set func(*rules.Check, string)) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload("resourcecheck_"+strings.ToLower(name),
			[]*cel.Type{resourceChecks.Type, cel.StringType}, resourceChecks.Type,
			binary(func(c resourceCheck, text string) ref.Val {
				set(&c.check, text)
				return resourceChecks.wrap(c)
			})))
	}
	ask := func(q question, verb string) ref.Val {
		q.check.Verb = verb
		return rulings.wrap(q.ask(q.check))
	}
	part := func(name string, t *cel.Type, of func(rules.Ruling) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.MemberOverload("decision_"+name, []*cel.Type{rulings.Type}, t, unary(of)))
	}
	return []cel.EnvOption{
		cel.Types(authorizers.Type, pathChecks.Type, groupChecks.Type, resourceChecks.Type, rulings.Type),
		cel.Function("path", cel.MemberOverload("authorizer_path", []*cel.Type{authorizers.Type, cel.StringType},
			pathChecks.Type,
			binary(func(a authorizer, path string) ref.Val {
				if strings.TrimSpace(path) == "" {
					return types.NewErr("path must not be empty")
				}
				a.check.Path = path
				return pathChecks.wrap(pathCheck(a))
			}))),
		cel.Function("group", cel.MemberOverload("authorizer_group", []*cel.Type{authorizers.Type, cel.StringType},
			groupChecks.Type,
			binary(func(a authorizer, group string) ref.Val {
				a.check.Group = group
				return groupChecks.wrap(groupCheck(a))
			}))),
		cel.Function("serviceAccount",
			cel.MemberOverload("authorizer_serviceaccount", []*cel.Type{authorizers.Type, cel.StringType, cel.StringType},
				authorizers.Type, cel.FunctionBinding(ofServiceAccount))),
		cel.Function("resource", cel.MemberOverload("groupcheck_resource", []*cel.Type{groupChecks.Type, cel.StringType},
			resourceChecks.Type,
			binary(func(g groupCheck, resource string) ref.Val {
				if strings.TrimSpace(resource) == "" {
					return types.NewErr("resource must not be empty")
				}
				g.check.Resource = resource
				return resourceChecks.wrap(resourceCheck(g))
			}))),
		refine("subresource", func(c *rules.Check, text string) { c.Subresource = text }),
		refine("namespace", func(c *rules.Check, text string) { c.Namespace = text }),
		refine("name", func(c *rules.Check, text string) { c.Name = text }),
		refine("fieldSelector", func(c *rules.Check, text string) { c.FieldSelector = text }),
		refine("labelSelector", func(c *rules.Check, text string) { c.LabelSelector = text }),
		cel.Function("check",
			cel.MemberOverload("pathcheck_check", []*cel.Type{pathChecks.Type, cel.StringType}, rulings.Type,
				binary(func(c pathCheck, verb string) ref.Val { return ask(c.question, verb) })),
			cel.MemberOverload("resourcecheck_check", []*cel.Type{resourceChecks.Type, cel.StringType}, rulings.Type,
				binary(func(c resourceCheck, verb string) ref.Val { return ask(c.question, verb) }))),
		part("allowed", cel.BoolType, func(r rules.Ruling) ref.Val { return types.Bool(r.Allowed) }),
		part("reason", cel.StringType, func(r rules.Ruling) ref.Val { return types.String(r.Reason) }),
		part("errored", cel.BoolType, func(r rules.Ruling) ref.Val { return types.Bool(r.Err != nil) }),
		part("error", cel.StringType, func(r rules.Ruling) ref.Val { return types.String(errorText(r.Err)) }),
	}
}

// ofServiceAccount returns the authorizer of a service account.
func ofServiceAccount(args ...ref.Val) ref.Val {
	a, ok := args[0].Value().(authorizer)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	namespace, ok := args[1].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[1])
	}
	name, ok := args[2].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[2])
	}
	switch {
	case len(apimeta.ValidateDNS1123Subdomain(name)) > 0:
		return types.NewErr("Invalid service account name")
	case len(apimeta.ValidateDNS1123Label(namespace)) > 0:
		return types.NewErr("Invalid service account namespace")
	}
	a.check.ServiceAccountNamespace, a.check.ServiceAccount = namespace, name
	return authorizers.wrap(a)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
