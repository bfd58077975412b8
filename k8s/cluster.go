package k8s

import "github.com/decorum-go/decorum/rest"

// events is the newer group of events. The objects are those of its own; Kubernetes shows one event in both groups.
func events() map[string]kind {
	return map[string]kind{
		"Event": {plural: "events", shortNames: []string{"ev"}, createOnUpdate: true,
			// Kubernetes also knows regarding.resourceVersion and reportingController.
			selectable: []string{"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
				"regarding.apiVersion", "regarding.fieldPath", "reason", "type"},
			columns: []rest.Column{since("Last Seen", ".eventTime"), text("Type", ".type"), text("Reason", ".reason"),
				text("Kind", ".regarding.kind"), text("Object", ".regarding.name"), text("Message", ".note")}},
	}
}

func coordination() map[string]kind {
	return map[string]kind{
		"Lease": {plural: "leases", createOnUpdate: true, versionRequired: true,
			columns: []rest.Column{text("Holder", ".spec.holderIdentity"), age()}},
		"LeaseCandidate": {plural: "leasecandidates", createOnUpdate: true, versionRequired: true,
			columns: []rest.Column{text("LeaseName", ".spec.leaseName"), text("BinaryVersion", ".spec.binaryVersion"),
				text("EmulationVersion", ".spec.emulationVersion"), age()}},
	}
}

func discovery() map[string]kind {
	return map[string]kind{
		"EndpointSlice": {plural: "endpointslices", generation: true,
			columns: []rest.Column{text("AddressType", ".addressType"), text("Ports", ".ports[*].port"), text("Endpoints", ".endpoints[*].addresses[*]"), age()}},
	}
}

func networking() map[string]kind {
	return map[string]kind{
		// The name of an address is the address, colons of IPv6 included.
		"IPAddress": {plural: "ipaddresses", shortNames: []string{"ip"}, scope: rest.Cluster, names: rest.PathSegment,
			columns: []rest.Column{text("ParentRef", ".spec.parentRef.name"), age()}},
		"Ingress": {plural: "ingresses", shortNames: []string{"ing"}, generation: true,
			columns: []rest.Column{text("Class", ".spec.ingressClassName"), text("Hosts", ".spec.rules[*].host"),
				text("Address", ".status.loadBalancer.ingress[*].ip"), age()}},
		"IngressClass": {plural: "ingressclasses", scope: rest.Cluster, generation: true,
			columns: []rest.Column{text("Controller", ".spec.controller"), text("Parameters", ".spec.parameters.name"), age()}},
		"NetworkPolicy": {plural: "networkpolicies", shortNames: []string{"netpol"}, generation: true,
			columns: []rest.Column{text("Pod-Selector", ".spec.podSelector"), age()}},
		"ServiceCIDR": {plural: "servicecidrs", scope: rest.Cluster,
			columns: []rest.Column{text("CIDRs", ".spec.cidrs"), age()}},
	}
}

// rbac is the group of roles, whose names, like system:node, are bound by the URL alone.
func rbac() map[string]kind {
	role := text("Role", ".roleRef.name")
	return map[string]kind{
		"ClusterRole": {plural: "clusterroles", scope: rest.Cluster, names: rest.PathSegment, createOnUpdate: true},
		"ClusterRoleBinding": {plural: "clusterrolebindings", scope: rest.Cluster, names: rest.PathSegment, createOnUpdate: true,
			columns: []rest.Column{role, age(), wide(text("Subjects", ".subjects[*].name"))}},
		"Role": {plural: "roles", names: rest.PathSegment, createOnUpdate: true},
		"RoleBinding": {plural: "rolebindings", names: rest.PathSegment, createOnUpdate: true,
			columns: []rest.Column{role, age(), wide(text("Subjects", ".subjects[*].name"))}},
	}
}

func certificates() map[string]kind {
	return map[string]kind{
		"CertificateSigningRequest": {plural: "certificatesigningrequests", shortNames: []string{"csr"}, scope: rest.Cluster,
			selectable: []string{"spec.signerName"},
			columns: []rest.Column{age(), text("SignerName", ".spec.signerName"), text("Requestor", ".spec.username"),
				number("RequestedDuration", ".spec.expirationSeconds"), text("Condition", ".status.conditions[*].type")}},
		// The name of a bundle begins with its signer's, and has colons for its slashes.
		"ClusterTrustBundle": {plural: "clustertrustbundles", scope: rest.Cluster, names: rest.PathSegment, versionRequired: true,
			selectable: []string{"spec.signerName"},
			columns:    []rest.Column{text("SignerName", ".spec.signerName")}},
		"PodCertificateRequest": {plural: "podcertificaterequests", versionRequired: true,
			selectable: []string{"spec.signerName", "spec.podName", "spec.nodeName"},
			columns: []rest.Column{text("PodName", ".spec.podName"), text("ServiceAccountName", ".spec.serviceAccountName"),
				text("NodeName", ".spec.nodeName"), text("SignerName", ".spec.signerName"), text("State", ".status.conditions[*].type")}},
	}
}

func admissionregistration() map[string]kind {
	kinds := map[string]kind{
		"MutatingAdmissionPolicy":          {plural: "mutatingadmissionpolicies"},
		"MutatingAdmissionPolicyBinding":   {plural: "mutatingadmissionpolicybindings"},
		"MutatingWebhookConfiguration":     {plural: "mutatingwebhookconfigurations"},
		"ValidatingAdmissionPolicy":        {plural: "validatingadmissionpolicies"},
		"ValidatingAdmissionPolicyBinding": {plural: "validatingadmissionpolicybindings"},
		"ValidatingWebhookConfiguration":   {plural: "validatingwebhookconfigurations"},
	}
	for name, k := range kinds {
		k.categories, k.scope, k.generation, k.versionRequired = []string{"api-extensions"}, rest.Cluster, true, true
		k.columns = []rest.Column{age()}
		kinds[name] = k
	}
	return kinds
}

func flowcontrol() map[string]kind {
	return map[string]kind{
		"FlowSchema": {plural: "flowschemas", scope: rest.Cluster, generation: true,
			columns: []rest.Column{text("PriorityLevel", ".spec.priorityLevelConfiguration.name"), number("MatchingPrecedence", ".spec.matchingPrecedence"),
				text("DistinguisherMethod", ".spec.distinguisherMethod.type"), age(),
				text("MissingPL", ".status.conditions[?(@.type=='Dangling')].status")}},
		"PriorityLevelConfiguration": {plural: "prioritylevelconfigurations", scope: rest.Cluster, generation: true,
			columns: []rest.Column{text("Type", ".spec.type"), number("NominalConcurrencyShares", ".spec.limited.nominalConcurrencyShares"),
				number("Queues", ".spec.limited.limitResponse.queuing.queues"), number("HandSize", ".spec.limited.limitResponse.queuing.handSize"),
				number("QueueLengthLimit", ".spec.limited.limitResponse.queuing.queueLengthLimit"), age()}},
	}
}

func apiserverinternal() map[string]kind {
	return map[string]kind{
		"StorageVersion": {plural: "storageversions", scope: rest.Cluster, versionRequired: true,
			columns: []rest.Column{text("CommonEncodingVersion", ".status.commonEncodingVersion"),
				text("StorageVersions", ".status.storageVersions[*].encodingVersion"), age()}},
	}
}
