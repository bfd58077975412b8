// Package oracle asks upstream's own libraries what the answer is, and compares: strategic merge patch with
// k8s.io/apimachinery, JSON Patch and merge patch with evanphx/json-patch, decoding with sigs.k8s.io/json, the way of an
// object through its Go type with encoding/json, managed fields and apply with upstream's own field manager, names and
// selectors with k8s.io/apimachinery, schemas with every kind of k8s.io/api, and pruning, defaulting and validation with random schemas of custom resources and k8s.io/apiextensions-apiserver.
//
// It is a module of its own, because the core links nothing of Kubernetes. Each comparison is a fuzz target with seeds,
// and a test that makes up its own input for about a second; such a test prints its seed when it fails, and DECORUM_SEED
// runs one seed again.
package oracle
