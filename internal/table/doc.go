// Package table makes the cells of a Table, what kubectl get prints of an object.
//
// A column of a kind names a place in the object by a [Path] and says how to print what is there. Paths are those of the
// printer columns of custom resources: the part of JSONPath that leads from an object to a value, without scripts,
// slices, unions or recursive descent.
//
//	.spec.size                                      a member
//	.metadata.labels['app.kubernetes.io/name']      a member of any name; .labels.app\.kubernetes\.io/name is the same
//	.spec.ports[0].port, .spec.ports[-1].port       an element, counted from the start or the end
//	.spec.ports[*].port                             of all elements or members the first that has one
//	.status.conditions[?(@.type=="Ready")].status   of the elements that fit
package table
