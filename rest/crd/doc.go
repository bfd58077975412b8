// Package crd serves kinds that arrive at run time as CustomResourceDefinitions, and exports kinds of Go as such.
//
// The plug-in [Definitions] makes any API accept definitions, as a Kubernetes cluster does:
//
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{})}}, resources...)
//	err = api.Start(ctx)
//
// After that, kubectl apply -f definition.yaml adds a kind. The definitions are objects in the host's store, so
// restarts and replicas need nothing more.
//
// [Manifest] goes the other way:
//
//	yaml, losses, err := crd.Manifest(widgets)
//
// The manifest contains everything that a cluster can do without the host's program: the schema with its types,
// defaults, bounds and rules, the versions, names, columns and selectable fields, and the subresources status and
// scale. The losses list the features that only the host's program provides, such as hooks. Manifest returns an error
// for a kind that a cluster would serve differently.
package crd
