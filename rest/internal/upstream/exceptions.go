package upstream

// Exceptions are rules that Kubernetes has for single built-in kinds.
type Exceptions struct {
	// Orphans: a deletion keeps the dependents if neither the request nor a finalizer of the object says what to do with
	// them. Clients that say nothing receive OrphansWarning, unless it is empty.
	Orphans        bool
	OrphansWarning string
	// Counted are fields of the metadata that raise the generation, unless the status is written.
	Counted []string
	// Uncounted are paths of other fields that do not raise it.
	Uncounted [][]string
}

// ExceptionsOf returns the rules of a kind of the built-in dialect.
func ExceptionsOf(group, version, kind string) Exceptions {
	switch group + "/" + kind {
	case "batch/Job":
		if version == "v1" {
			return Exceptions{Orphans: true, OrphansWarning: "child pods are preserved by default when jobs are deleted; " +
				"set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"}
		}
	case "/ReplicationController":
		return Exceptions{Orphans: true}
	case "apps/Deployment": // its controller copies the annotations to the ReplicaSets
		return Exceptions{Counted: []string{"annotations"}}
	case "discovery.k8s.io/EndpointSlice":
		return Exceptions{Counted: []string{"labels"}}
	case "/Pod": // a binding sets the node
		return Exceptions{Uncounted: [][]string{{"spec", "nodeName"}}}
	case "scheduling.k8s.io/PriorityClass":
		return Exceptions{Uncounted: [][]string{{"value"}, {"preemptionPolicy"}, {"globalDefault"}, {"description"}}}
	}
	return Exceptions{}
}
