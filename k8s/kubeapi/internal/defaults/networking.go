package defaults

import networkingv1 "k8s.io/api/networking/v1"

// networking returns the defaults of the group networking.k8s.io.
func networking() []rule {
	return []rule{
		fixed[networkingv1.IngressClass](values{"spec.parameters.scope": "Cluster"}),
		fixed[networkingv1.NetworkPolicyPort](values{"protocol": "TCP"}),

		when(policyTypes),
	}
}

// policyTypes derives what a policy restricts from the rules that it has. It always restricts ingress.
func policyTypes(obj *networkingv1.NetworkPolicySpec) {
	if len(obj.PolicyTypes) > 0 {
		return
	}
	obj.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(obj.Egress) > 0 {
		obj.PolicyTypes = append(obj.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
}
