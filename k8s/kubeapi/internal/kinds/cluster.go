package kinds

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/decorum-go/decorum/rest"
)

// cluster returns the kinds of the groups with which the parts of a cluster work: certificates.k8s.io,
// coordination.k8s.io, flowcontrol.apiserver.k8s.io, node.k8s.io and scheduling.k8s.io.
func cluster() []rest.Definition {
	return []rest.Definition{
		certificateSigningRequests(),
		of[certificatesv1.ClusterTrustBundle](),
		of[certificatesv1.PodCertificateRequest](),
		of[coordinationv1.Lease](),
		of[flowcontrolv1.FlowSchema](),
		of[flowcontrolv1.PriorityLevelConfiguration](),
		of[nodev1.RuntimeClass](),
		priorityClasses(),
	}
}

func priorityClasses() rest.Resource[schedulingv1.PriorityClass] {
	r := of[schedulingv1.PriorityClass]()
	r.Wire.Generation = true
	return r
}
