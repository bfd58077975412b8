// Package webhook calls the admission webhooks that users of an API register with MutatingWebhookConfigurations and
// ValidatingWebhookConfigurations, as kube-apiserver does:
//
//	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext})
//	hooks, err := webhook.New(webhook.Options{Calls: calls})
//	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{hooks}}, definitions...)
//
// A change of a configuration counts from the next write on, in this process at once, and in other replicas as soon as
// their store sees it. While the API has no configurations, the hooks cost nothing.
//
// No webhook sees writes of the group admissionregistration.k8s.io, so a configuration that refuses everything can
// always be deleted.
package webhook
