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
	// CountsFromZero means that a new object has the generation that the client sends, and that the first change raises
	// it. Kinds without rules for new objects count like this.
	CountsFromZero bool
	// Unowned are paths of fields that no client owns by a write through a subresource, or by a write of the object
	// itself under the name "". The status, or everything else, which such a write never changes, is not listed.
	Unowned map[string][][]string
	// StatusKeeps are the members of the metadata that a write of the status does not change.
	StatusKeeps []string
}

// clientMetadata are the members of the metadata that a write of the status of most newer kinds does not change.
var clientMetadata = []string{"labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp"}

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
		return Exceptions{Counted: []string{"annotations"}, StatusKeeps: []string{"labels"}}
	case "certificates.k8s.io/CertificateSigningRequest": // the server adds the requester, then the spec is immutable
		return Exceptions{Unowned: map[string][][]string{"": {{"spec"}}, "status": {{"status", "conditions"}},
			"approval": {{"status", "certificate"}}}}
	case "discovery.k8s.io/EndpointSlice":
		return Exceptions{Counted: []string{"labels"}}
	case "/Pod": // a binding sets the node, and old kubelets damaged the owners
		return Exceptions{Uncounted: [][]string{{"spec", "nodeName"}}, StatusKeeps: []string{"ownerReferences"}}
	case "admissionregistration.k8s.io/ValidatingAdmissionPolicy", "apiregistration.k8s.io/APIService",
		"certificates.k8s.io/PodCertificateRequest", "flowcontrol.apiserver.k8s.io/FlowSchema",
		"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration", "networking.k8s.io/ServiceCIDR",
		"resource.k8s.io/DeviceTaintRule", "resource.k8s.io/ResourceClaim", "storage.k8s.io/CSINode",
		"storage.k8s.io/VolumeAttachment", "storagemigration.k8s.io/StorageVersionMigration":
		return Exceptions{StatusKeeps: clientMetadata}
	case "storage.k8s.io/CSIDriver":
		return Exceptions{CountsFromZero: true}
	case "scheduling.k8s.io/PriorityClass":
		return Exceptions{Uncounted: [][]string{{"value"}, {"preemptionPolicy"}, {"globalDefault"}, {"description"}}}
	}
	return Exceptions{}
}
