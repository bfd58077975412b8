package rules

import "errors"

// DeviceLanguage is a [Set] whose language can also select devices: the expressions of resource.k8s.io.
type DeviceLanguage interface {
	// DeviceSelector compiles an expression about the variable device, which must evaluate to a boolean. The verdict has a
	// Fault for clients, in the words of API servers, or a Cost. An error is not the fault of the expression.
	DeviceSelector(expression string) (Verdict, error)
}

// DeviceSelector compiles an expression with the language of a rest.Rules. See [DeviceLanguage].
func DeviceSelector(hidden any, expression string) (Verdict, error) {
	language, ok := hidden.(DeviceLanguage)
	if !ok {
		return Verdict{}, errors.New("expressions that select devices need the language of module github.com/decorum-go/decorum/cel")
	}
	return language.DeviceSelector(expression)
}
