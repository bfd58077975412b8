// Package seed creates the first objects of an API from files, such as namespaces, roles and definitions:
//
//	//go:embed objects
//	var objects embed.FS
//	…
//	err := seed.Apply(ctx, api, objects, seed.Options{})
//
// A host calls it when the API runs and before it listens, in every replica. If all objects exist, [Apply] only reads.
package seed
