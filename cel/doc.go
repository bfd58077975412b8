// Package cel validates objects by rules in the Common Expression Language, like x-kubernetes-validations of Kubernetes
// custom resource definitions: with the same variables, types, messages and causes, and with the same limits on the
// cost of a rule. A kind states its rules beside its struct:
//
//	widgets := rest.Resource[Widget]{
//		Group: "example.com", Version: "v1", Plural: "widgets",
//		Rules: cel.New(cel.Rules{
//			"WidgetSpec":      {{Rule: "self.min <= self.max", Message: "min must not be greater than max"}},
//			"WidgetSpec.size": {{Rule: "self >= oldSelf", Message: "must not shrink"}},
//		}),
//	}
//
// rest.New compiles the rules against the struct, and returns an error that names the place and the rule. docs/cel.md
// lists the functions that rules may use, and the differences from upstream.
package cel
