// Package oracle compares module kubeapi with Kubernetes 1.37.2 itself, module k8s.io/kubernetes: the defaults of each
// kind, for random objects, and what validation refuses. It also runs Kubernetes' API in this process, with a store in
// memory, and sends the same requests to it and to the program of module kubeapi.
//
// It is a module of its own, because the product must not link Kubernetes, and because Kubernetes fixes the versions of
// its modules. The tests make their own input. They print the seed if they fail, and DECORUM_SEED runs one seed again;
// see package internal/test/roundstest.
package oracle
