package controller

import "strings"

// Key names an object within its resource. Namespace is empty for cluster-scoped objects.
type Key struct{ Namespace, Name string }

// String returns "namespace/name", or the bare name without a namespace.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// compare orders keys as lists of the API do.
func (k Key) compare(other Key) int {
	if c := strings.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return strings.Compare(k.Name, other.Name)
}
