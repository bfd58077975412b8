// Package admissionregistration declares the kinds of the group admissionregistration.k8s.io, with which users of an
// API register admission webhooks and admission policies. It does not depend on Kubernetes. The structs have the names,
// fields, JSON and Protobuf of the structs of k8s.io/api/admissionregistration/v1, and the API defaults and validates
// them as kube-apiserver does.
//
// Package webhook serves the configurations of webhooks and calls the webhooks. Package policy serves the policies and
// evaluates them.
package admissionregistration
