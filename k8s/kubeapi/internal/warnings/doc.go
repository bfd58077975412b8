// Package warnings has the warnings that Kubernetes 1.37.2 adds to its answers about single kinds. A warning is about an
// object that is valid, but that probably does not do what its author expects: two variables of one name, a label that
// no node has any more, an address in an unusual form. Clients such as kubectl print the warnings.
//
// The texts are those of Kubernetes. Module oracle compares them with Kubernetes' own code.
package warnings
