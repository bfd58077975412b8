// Package apiservice lists the groups and versions that an API serves as objects of the kind APIService, for clients
// that look there, such as kubectl get apiservices:
//
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{apiservice.New(apiservice.Options{})}}, resources...)
//	err = api.Start(ctx)
//
// Only the API writes the objects. It does not aggregate other servers.
//
// The structs have the same names, fields and JSON as the structs of k8s.io/kube-aggregator.
package apiservice
