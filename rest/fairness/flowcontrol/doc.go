// Package flowcontrol has the kinds FlowSchema and PriorityLevelConfiguration of the group
// flowcontrol.apiserver.k8s.io, by which users of an API configure how package fairness shares its capacity. The
// structs have the same names, fields and JSON as those of k8s.io/api/flowcontrol/v1.
package flowcontrol
