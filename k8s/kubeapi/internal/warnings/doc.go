// Package warnings returns the warnings that Kubernetes 1.37.2 adds to its answers about individual kinds. A warning
// concerns an object that is valid but probably does not do what its author expects. Examples are two variables of the
// same name, a label that nodes no longer have, and an address in an unusual form. Clients such as kubectl print the
// warnings.
//
// The texts match Kubernetes' own. Module oracle compares them with Kubernetes' code.
package warnings
