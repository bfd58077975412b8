package defaults

import (
	certificatesv1 "k8s.io/api/certificates/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
)

// cluster returns the defaults of small groups.
func cluster() []rule {
	return []rule{
		fixed[certificatesv1.PodCertificateRequest](values{"spec.maxExpirationSeconds": 86400}),
		fixed[schedulingv1.PriorityClass](values{"preemptionPolicy": "PreemptLowerPriority"}),
		none[nodev1.RuntimeClass](),
	}
}
