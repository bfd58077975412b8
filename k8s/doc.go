// Package k8s hosts Kubernetes' own kinds: one line turns any stored type of k8s.io/api into a resource.
//
//	api, err := rest.New(rest.Options{},
//		k8s.Resource[corev1.Namespace](),
//		k8s.Resource[corev1.ConfigMap](),
//		k8s.Resource[coordinationv1.Lease](),
//		k8s.Resource[appsv1.Deployment]())
//
// The core module can serve these structs itself, as it serves any struct with the JSON of an object. But a struct
// states only a part of what Kubernetes knows about a kind. This module, which may import k8s.io, adds the rest from
// two sources.
//
// # From the apply configurations of client-go
//
// They state how lists and maps merge, and static defaults. In k8s.io/api, comments state this (+listType, +structType,
// +default), which only code generators read. A generator writes it into the schema behind
// [k8s.io/client-go/applyconfigurations.NewTypeConverter]. This module reads that schema at run time, so it is always
// that of the client-go with which the program is built, and turns it into the Overlay of the resource. For example,
// containerPort and protocol identify the ports of a Container, whereas the patch tags name only the first; and the
// taints of a Node change as a whole. Elements of such lists may still repeat: Kubernetes checks that in code or not at
// all.
//
// # From a table of facts
//
// The table states plural, scope, short names, categories, the rule for names, whether PUT creates and needs a
// resourceVersion, the fields for selectors, and /scale. It holds for all versions of a kind.
//
// # The columns of kubectl get
//
// The columns are those of Kubernetes, including computed cells: the 1/2 of a Deployment, the CrashLoopBackOff of a
// Pod, the number of keys of a ConfigMap. An older version of a kind has the cells that can be computed from its fields
// of the same names.
//
// # What is missing
//
// Kubernetes defaults and validates its kinds in code that no module exports: this package accepts a Pod without
// containers, and does not set its restartPolicy. A host adds what it needs by the hooks of [rest.Resource]. The apply
// configurations do not state required fields either, and Kubernetes does not check them by schema. Nothing acts on the
// objects: there are no controllers, no scheduler and no garbage collector. The row of a Pod that has ended has no
// condition Completed. A Node cannot be created with a status: write it to /status.
//
// The kind Event of the core group and that of events.k8s.io are two resources with objects of their own. In Kubernetes
// they are two views of the same objects.
package k8s
