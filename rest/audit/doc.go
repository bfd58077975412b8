// Package audit records who did what, as kube-apiserver does: events of audit.k8s.io/v1, chosen by a policy file that
// kube-apiserver accepts too.
//
//	policy, err := audit.ReadPolicy("/etc/platform/audit-policy.yaml")
//	…
//	file, err := audit.OpenFile("/var/log/platform/audit.log", audit.FileOptions{MaxBackups: 10})
//	…
//	log, err := audit.New(audit.Options{Policy: policy, Outputs: []audit.Output{{Sink: file}}})
//	…
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{log}}, definitions...)
//
// A [Sink] receives the events: a [File], a [Webhook], the sink of [NewWriter], or a function. The [Mode] of its
// [Output] says what happens when it is slow or fails: events are dropped and counted, requests wait, or requests are
// refused.
//
// Objects that contain credentials, such as Secrets, are recorded only if a rule names their resource. See
// docs/audit.md.
package audit
