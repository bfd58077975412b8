// Package audit records who did what, as kube-apiserver does: events of audit.k8s.io/v1, chosen by a policy file that kube-apiserver
// accepts too.
package audit
