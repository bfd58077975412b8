// Package oracle compares module kubeapi with Kubernetes itself, module k8s.io/kubernetes: the defaults of each kind,
// for random objects, and what validation refuses. It also runs Kubernetes' API in this process, with a store in
// memory, and sends the same requests to it and to the program of module kubeapi.
//
// It still compares with release 1.36.3, although our program plays 1.37.2. These differences of 1.37.2 are known, and
// not mended yet: a rolling update of a StatefulSet has a default of maxUnavailable, a CSIDriver one of
// preventPodSchedulingIfMissing, and templates of Pods keep the annotation pod.beta.kubernetes.io/init-containers. The
// resources of a Pod as a whole get their defaults after admission there.
//
// It is a module of its own, because the product must not link Kubernetes, and because Kubernetes fixes the versions of
// its modules. The tests make their own input. They print the seed if they fail, and DECORUM_SEED runs one seed again;
// see package internal/roundstest.
package oracle
