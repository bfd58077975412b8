// Package cel checks objects by rules in the Common Expression Language, as custom resource definitions of Kubernetes do
// with x-kubernetes-validations: the same variables, types, messages and causes, and the same bounds on what a rule may
// cost. A kind states its rules beside its struct:
//
//	widgets := rest.Resource[Widget]{
//		Group: "example.com", Version: "v1", Plural: "widgets",
//		Rules: cel.Rules{
//			"WidgetSpec":      {{Rule: "self.min <= self.max", Message: "min must not be greater than max"}},
//			"WidgetSpec.size": {{Rule: "self >= oldSelf", Message: "must not shrink"}},
//		},
//	}
//
// They are checked against the struct by rest.New. Which functions they may use, and where they differ from upstream, is
// in docs/cel.md.
package cel
