// Package table computes the cells of a Table, which kubectl get prints.
//
// A column of a kind names a place in the object by a [Path], and says how to print the value there. A path is written
// as in the printer columns of custom resources: in the part of JSONPath that leads from an object to a value, without
// scripts, slices, unions or recursive descent.
//
//	.spec.size                                      a member
//	.metadata.labels['app.kubernetes.io/name']      a member of any name; .labels.app\.kubernetes\.io/name is the same
//	.spec.ports[0].port, .spec.ports[-1].port       an element, counted from the start or the end
//	.spec.ports[*].port                             the first element or member that has a port
//	.status.conditions[?(@.type=="Ready")].status   the first element that matches and has a status
package table
