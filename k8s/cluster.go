package k8s

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/decorum-go/decorum/rest"
)

// events returns the newer group of events. Its objects are its own, whereas Kubernetes shows one event in both
// groups.
func events() map[string]kind {
	return map[string]kind{
		"Event": {plural: "events", shortNames: []string{"ev"}, createOnUpdate: true,
			selectable: []string{"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
				"regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason", "reportingController",
				"type"},
			columns: eventColumns()},
	}
}

func coordination() map[string]kind {
	return map[string]kind{
		"Lease": {plural: "leases", createOnUpdate: true, versionRequired: true, plainMetadata: true,
			columns: leaseColumns()},
		"LeaseCandidate": {plural: "leasecandidates", createOnUpdate: true, versionRequired: true, plainMetadata: true,
			columns: leaseCandidateColumns()},
	}
}

func discovery() map[string]kind {
	return map[string]kind{
		"EndpointSlice": {plural: "endpointslices", generation: true, columns: endpointSliceColumns()},
	}
}

func networking() map[string]kind {
	return map[string]kind{
		// The name is the address itself, including the colons of IPv6.
		"IPAddress": {plural: "ipaddresses", shortNames: []string{"ip"}, scope: rest.ScopeCluster,
			names: rest.NamePathSegment, columns: ipAddressColumns()},
		"Ingress": {plural: "ingresses", shortNames: []string{"ing"}, generation: true, columns: ingressColumns()},
		"IngressClass": {plural: "ingressclasses", scope: rest.ScopeCluster, generation: true,
			columns: ingressClassColumns()},
		"NetworkPolicy": {plural: "networkpolicies", shortNames: []string{"netpol"}, generation: true,
			columns: networkPolicyColumns()},
		"ServiceCIDR": {plural: "servicecidrs", scope: rest.ScopeCluster, columns: serviceCIDRColumns()},
	}
}

// rbac returns the group of roles. Only the rules of URL paths restrict their names, such as system:node.
func rbac() map[string]kind {
	return map[string]kind{
		"ClusterRole": {plural: "clusterroles", scope: rest.ScopeCluster, names: rest.NamePathSegment,
			createOnUpdate: true},
		"ClusterRoleBinding": {plural: "clusterrolebindings", scope: rest.ScopeCluster, names: rest.NamePathSegment,
			createOnUpdate: true, columns: bindingColumns("clusterRoleBinding",
				documented[rbacv1.ClusterRoleBinding]("roleRef"))},
		"Role": {plural: "roles", names: rest.NamePathSegment, createOnUpdate: true},
		"RoleBinding": {plural: "rolebindings", names: rest.NamePathSegment, createOnUpdate: true,
			columns: bindingColumns("roleBinding", documented[rbacv1.RoleBinding]("roleRef"))},
	}
}

func certificates() map[string]kind {
	return map[string]kind{
		"CertificateSigningRequest": {plural: "certificatesigningrequests", shortNames: []string{"csr"},
			scope: rest.ScopeCluster, selectable: []string{"spec.signerName"},
			columns: certificateSigningRequestColumns()},
		// The name begins with that of the signer, with colons in place of slashes.
		"ClusterTrustBundle": {plural: "clustertrustbundles", scope: rest.ScopeCluster, names: rest.NamePathSegment,
			versionRequired: true, selectable: []string{"spec.signerName"},
			columns: clusterTrustBundleColumns()},
		"PodCertificateRequest": {plural: "podcertificaterequests", versionRequired: true,
			selectable: []string{"spec.signerName", "spec.podName", "spec.nodeName"},
			columns:    podCertificateRequestColumns()},
	}
}

func admissionregistration() map[string]kind {
	kinds := map[string]kind{
		"MutatingAdmissionPolicy":          {plural: "mutatingadmissionpolicies", columns: mutatingPolicyColumns()},
		"MutatingAdmissionPolicyBinding":   {plural: "mutatingadmissionpolicybindings", columns: policyBindingColumns()},
		"MutatingWebhookConfiguration":     {plural: "mutatingwebhookconfigurations", columns: webhookColumns()},
		"ValidatingAdmissionPolicy":        {plural: "validatingadmissionpolicies", columns: validatingPolicyColumns()},
		"ValidatingAdmissionPolicyBinding": {plural: "validatingadmissionpolicybindings", columns: policyBindingColumns()},
		"ValidatingWebhookConfiguration":   {plural: "validatingwebhookconfigurations", columns: webhookColumns()},
	}
	for name, k := range kinds {
		k.categories, k.scope, k.generation, k.versionRequired = []string{"api-extensions"}, rest.ScopeCluster, true, true
		kinds[name] = k
	}
	return kinds
}

func flowcontrol() map[string]kind {
	return map[string]kind{
		"FlowSchema": {plural: "flowschemas", scope: rest.ScopeCluster, generation: true,
			columns: flowSchemaColumns()},
		"PriorityLevelConfiguration": {plural: "prioritylevelconfigurations", scope: rest.ScopeCluster, generation: true,
			columns: priorityLevelColumns()},
	}
}

func apiserverinternal() map[string]kind {
	return map[string]kind{
		"StorageVersion": {plural: "storageversions", scope: rest.ScopeCluster, versionRequired: true,
			columns: storageVersionColumns()},
	}
}
