// Package table computes the cells of a Table, which kubectl get prints.
//
// A column of a kind names a place in the object by a [Path], and says how to print the value there. A path is written
// as in the printer columns of custom resources, in JSONPath. Where upstream finds a value, so does a Path, and the
// same one. Some paths that upstream refuses lead to a value here.
//
//	.spec.size                                      a member
//	.metadata.labels['app.kubernetes.io/name']      a member of any name; .labels.app\.kubernetes\.io/name is the same
//	.spec.ports[0].port, .spec.ports[-1].port       an element, counted from the start or the end
//	.spec.ports[*].port                             the first element or member that has a port
//	.spec.ports[1:3].port, .spec.ports[-1:].port    the first of some elements; [from:to:step], where each part is optional
//	.spec['port','ports'], .spec.ports[0,2].port    the first of several members or elements that has a value
//	.spec..port                                     the first port at any depth
//	.status.conditions[?(@.type=="Ready")].status   the first element that matches and has a status
package table
