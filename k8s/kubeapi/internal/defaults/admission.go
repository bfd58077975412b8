package defaults

import admissionv1 "k8s.io/api/admissionregistration/v1"

// admission returns the defaults of the group admissionregistration.k8s.io.
func admission() []rule {
	webhook := values{
		"failurePolicy":     "Fail",
		"matchPolicy":       "Equivalent",
		"namespaceSelector": values{},
		"objectSelector":    values{},
		"timeoutSeconds":    10,
	}
	return []rule{
		fixed[admissionv1.ValidatingWebhook](webhook),
		fixed[admissionv1.MutatingWebhook](webhook),
		fixed[admissionv1.MutatingWebhook](values{"reinvocationPolicy": "Never"}),
		fixed[admissionv1.ServiceReference](values{"port": 443}),
		fixed[admissionv1.Rule](values{"scope": "*"}),
		fixed[admissionv1.ValidatingAdmissionPolicySpec](values{"failurePolicy": "Fail"}),
		fixed[admissionv1.MutatingAdmissionPolicySpec](values{"failurePolicy": "Fail"}),
		fixed[admissionv1.MatchResources](values{"matchPolicy": "Equivalent", "namespaceSelector": values{},
			"objectSelector": values{}}),
	}
}
