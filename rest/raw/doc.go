// Package raw gives programs in the process of an API its objects as the store keeps them: in the stored version, and
// without decoding them. It is for programs that handle objects of any kind without their Go types, such as the
// controllers of package rest/lifecycle. Their writes take the same steps as all others. Virtual kinds store no
// objects, so this package does not know them.
//
// The method Objects of an API returns its [Objects]:
//
//	objects := api.Objects().FieldManager("collector")
//	for changes, err := range objects.Follow(ctx) {
//		...
//	}
//
// Programs that know the types of their objects use the clients of package rest.
//
// This package may change until v1.1 (docs/stability.md).
package raw
