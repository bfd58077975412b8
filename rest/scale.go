package rest

// Scale declares the subresource /scale, by which autoscalers and kubectl scale read and set how many of something an
// object asks for, whatever its kind (API conventions, Spec and Status). The fields are paths like ".spec.replicas".
type Scale struct {
	// SpecReplicas is the wanted count, an integer. StatusReplicas is the actual one.
	SpecReplicas, StatusReplicas string
	// Selector is where the object says by which labels its parts are found: a label selector as text, a
	// LabelSelector, or a map of labels. Optional.
	Selector string
}
