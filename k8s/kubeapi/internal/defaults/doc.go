// Package defaults sets the defaults of Kubernetes' kinds, which k8s.io/api states only in comments.
//
// The files of the groups (core.go, apps.go, …) are the table. For each Go type they state the fields with a fixed
// default as paths and values, as the API reference does, and the defaults that depend on other fields as functions. A
// rule for a type holds wherever an object contains a value of this type: that of Probe for each probe of each
// container of a Pod, and of the template of a Deployment. A default that only one kind has is a rule of this kind.
//
// [Defaults.Set] fills in what is missing. [Defaults.Canonicalize] rewrites values that Kubernetes accepts in several
// forms and stores in one, such as a quantity below a thousandth. Module k8s/kubeapi/internal/oracle compares both with
// Kubernetes itself.
//
// Some values look like defaults, and are none: those that depend on other objects (the Priority of a Pod, the IP of a
// Service) and those that the server makes up (the selector of a Job). Package kinds sets them.
package defaults
