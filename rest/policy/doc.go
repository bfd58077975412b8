// Package policy lets clients decide about writes with admission policies, as in Kubernetes: ValidatingAdmissionPolicy,
// which refuses writes, MutatingAdmissionPolicy, which changes objects, and their bindings. Their expressions are in
// the Common Expression Language, which module cel evaluates:
//
//	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{policy.New(policy.Options{})}}, definitions...)
//
// A change of a policy, a binding or a parameter counts from the next request on, in this process at once, and in other
// replicas as soon as their store sees it. Objects of admissionregistration.k8s.io are exempt from policies, so a wrong
// policy can always be removed.
//
// docs/webhooks.md says what policies can do, and what differs from Kubernetes.
package policy
