// Package k8s hosts Kubernetes' own kinds: any type of k8s.io/api that is stored becomes a resource in one line.
//
//	api, err := rest.New(rest.Options{},
//		k8s.Resource[corev1.Namespace](),
//		k8s.Resource[corev1.ConfigMap](),
//		k8s.Resource[coordinationv1.Lease](),
//		k8s.Resource[appsv1.Deployment]())
//
// The core module serves these structs without it, as it serves any struct with the JSON of an object. But a struct says
// only part of what Kubernetes knows of a kind, and this module, which may import k8s.io, adds the rest from two sources.
//
// # From the apply configurations of client-go
//
// How lists and maps belong together, and static defaults. In k8s.io/api this stands in comments (+listType, +structType,
// +default), which generators read and no program sees. One of them writes it into the schema behind
// [k8s.io/client-go/applyconfigurations.NewTypeConverter]. That schema is read at run time, so it is always that of the
// client-go a program is built with, and turned into the Overlay of the resource: the ports of a Container are identified
// by containerPort and protocol, where the patch tags name the first alone; the taints of a Node change as a whole.
// Elements may repeat even so: Kubernetes checks that by hand or not at all.
//
// # From a table of facts
//
// Plural, scope, short names, categories, the rule for names, whether PUT creates and needs a resourceVersion, which
// fields a selector may name, and /scale. The same holds for all versions of a kind.
//
// # The columns of kubectl get
//
// They are those of Kubernetes, computed cells included: the 1/2 of a Deployment, the CrashLoopBackOff of a Pod, the number of
// keys of a ConfigMap. A version of a kind that is older than the one whose fields they show has the cells that the fields of the
// same names give.
//
// # What is not here
//
// Kubernetes defaults and validates its kinds in code that no module exports: a Pod without containers is accepted here,
// and gets no restartPolicy. A host adds what it needs by the hooks of [rest.Resource]. Required fields are not in the
// apply configurations either, and Kubernetes does not check them by schema. Nothing acts on the objects: there are no
// controllers, no scheduler and no garbage collector. The row of a Pod that has ended carries no condition that says so. A
// selectable field that is absent has the value "", where Kubernetes has the false or 0 of its Go type, and Event has only the
// eight fields that kubectl asks for. A Node cannot be created with a status: write it to /status.
//
// The two kinds Event, of the core group and of events.k8s.io, are two resources with objects of their own. In Kubernetes
// they are two views of one; an API here serves one version of a resource, and nothing twice.
package k8s
