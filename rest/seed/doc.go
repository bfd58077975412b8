// Package seed creates the first objects of an API from files, such as namespaces, roles and definitions:
//
//	//go:embed objects
//	var objects embed.FS
//	…
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{roles, crd.New(crd.Options{}), seed.New(objects, seed.Options{})}}, widgets)
//
// The plug-in creates the objects when the API starts, before the host listens, in every replica. If all objects exist,
// it only reads.
package seed
