// Package builtin declares the Kubernetes kinds that clients expect from every API: Namespace, Lease and Event. It
// serves them in the built-in dialect and in Protobuf, because client-go sends these kinds as Protobuf only. The
// package imports no Kubernetes module:
//
//	api, err := rest.New(rest.Options{}, builtin.Namespaces(), builtin.Leases(), builtin.Events(), widgets)
//
// With these kinds, kubectl describe shows the events of custom objects, and the event recorders and leader elections
// of client-go and controller-runtime work unchanged. Module k8s has all other Kubernetes kinds.
//
// The structs have the same names, fields and JSON as the structs of k8s.io/api. To move code from one package to the
// other, change its imports.
package builtin
