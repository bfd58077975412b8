// Package builtin has the kinds of Kubernetes that clients expect from every API: Namespace, Lease and Event. They are served in the
// built-in dialect, with Protobuf, because the clients of these kinds send nothing else. The package needs no module of Kubernetes:
//
//	api, err := rest.New(rest.Options{}, builtin.Namespaces(), builtin.Leases(), builtin.Events(), widgets)
//
// With these, kubectl describe shows the events of a custom kind, and the event recorders and leader elections of client-go and
// controller-runtime work unchanged. A host that uses other kinds of Kubernetes too takes them from module k8s.
//
// The structs, their names and their JSON are those of k8s.io/api, so code moves between the two by changing its imports.
package builtin
