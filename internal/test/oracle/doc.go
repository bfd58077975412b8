// Package oracle compares this module with upstream's own libraries:
//
//   - strategic merge patch, names and selectors with k8s.io/apimachinery;
//   - JSON Patch and merge patch with evanphx/json-patch;
//   - decoding with sigs.k8s.io/json, and the conversion of an object through its Go type with encoding/json;
//   - managed fields and apply with upstream's own field manager;
//   - schemas with every kind of k8s.io/api;
//   - manifests that package crd exports, and the behaviour of their kinds, with k8s.io/apiextensions-apiserver;
//   - the access that a request needs (rest.API.AccessOf) with k8s.io/apiserver;
//   - decisions and escalation checks of package rbac with k8s.io/component-helpers, for random roles, bindings and their changes;
//   - audit policies, for random policies and requests, and the events of package audit with k8s.io/apiserver;
//   - which FlowSchema and priority level a request belongs to, and how many seats a level has, for random objects and requests, with
//     k8s.io/apiserver;
//   - pruning, defaulting and validation, for random schemas of custom resources, and rules in CEL with
//     k8s.io/apiextensions-apiserver;
//   - the definitions of real projects, their samples and random changes of these, with the strategy by which an API server decodes,
//     checks and stores custom resources. The definitions are in the folder shared/crds beside the checkout, or in DECORUM_CRDS.
//
// It is a module of its own, because the core must not link Kubernetes. Each comparison is a fuzz target with seeds,
// and a test that generates its own input for about a second. Such a test prints its seed if it fails, and DECORUM_SEED
// runs one seed again.
package oracle
