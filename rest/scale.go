package rest

// Scale declares the subresource /scale, through which autoscalers and kubectl scale read and set the wanted count of
// an object, whatever its kind (API conventions, Spec and Status). Its fields are paths such as ".spec.replicas".
type Scale struct {
	// SpecReplicas is the path of the wanted count, an integer. StatusReplicas is the path of the actual count.
	SpecReplicas, StatusReplicas string
	// Selector is the path of the selector that finds the parts of the object: a label selector as text, a LabelSelector,
	// or a map of labels. Optional.
	Selector string
}
