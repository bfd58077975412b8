// Package oracle compares module kubeapi with Kubernetes itself, module k8s.io/kubernetes: the defaults of each kind, for random objects,
// and what validation refuses.
//
// It is a module of its own, because the product must not link Kubernetes, and because Kubernetes fixes the versions of its modules. The
// tests make their own input. They print the seed if they fail, and DECORUM_SEED runs one seed again; see package internal/roundstest.
package oracle
