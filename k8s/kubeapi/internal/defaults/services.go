package defaults

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// services returns the defaults of Services and of the endpoints behind them.
func services() []rule {
	return []rule{
		fixed[corev1.ServiceSpec](values{"type": "ClusterIP", "sessionAffinity": "None"}),
		fixed[corev1.ServicePort](values{"protocol": "TCP"}),
		//lint:ignore SA1019 clients still use it
		fixed[corev1.EndpointPort](values{"protocol": "TCP"}),
		fixed[discoveryv1.EndpointPort](values{"name": "", "protocol": "TCP"}),

		when(targetPort),
		when(affinityTimeout),
		when(traffic),
		when(addressMode),

		rewrite(affinityWithout),
	}
}

// targetPort forwards to the port of the same number.
func targetPort(obj *corev1.ServicePort) {
	if obj.TargetPort == intstr.FromInt32(0) || obj.TargetPort == intstr.FromString("") {
		obj.TargetPort = intstr.FromInt32(obj.Port)
	}
}

// affinityTimeout keeps a client's affinity for three hours.
func affinityTimeout(obj *corev1.ServiceSpec) {
	if obj.SessionAffinity != corev1.ServiceAffinityClientIP {
		return
	}
	if c := obj.SessionAffinityConfig; c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
		seconds := corev1.DefaultClientIPServiceAffinitySeconds
		obj.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &seconds}}
	}
}

// affinityWithout drops the settings of an affinity that the service does not have.
func affinityWithout(obj *corev1.ServiceSpec) {
	if obj.SessionAffinity == corev1.ServiceAffinityNone {
		obj.SessionAffinityConfig = nil
	}
}

// traffic sets the traffic policies that the type of the service has.
func traffic(obj *corev1.ServiceSpec) {
	balanced := obj.Type == corev1.ServiceTypeLoadBalancer
	hasNodePorts := balanced || obj.Type == corev1.ServiceTypeNodePort
	hasIP := hasNodePorts || obj.Type == corev1.ServiceTypeClusterIP
	if obj.ExternalTrafficPolicy == "" &&
		(hasNodePorts || obj.Type == corev1.ServiceTypeClusterIP && len(obj.ExternalIPs) > 0) {
		obj.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
	}
	if obj.InternalTrafficPolicy == nil && hasIP {
		obj.InternalTrafficPolicy = ptr.To(corev1.ServiceInternalTrafficPolicyCluster)
	}
	if obj.AllocateLoadBalancerNodePorts == nil && balanced {
		obj.AllocateLoadBalancerNodePorts = ptr.To(true)
	}
}

// addressMode sets how the addresses of a load balancer behave.
func addressMode(obj *corev1.Service) {
	if obj.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return
	}
	for i := range obj.Status.LoadBalancer.Ingress {
		if in := &obj.Status.LoadBalancer.Ingress[i]; in.IP != "" && in.IPMode == nil {
			in.IPMode = ptr.To(corev1.LoadBalancerIPModeVIP)
		}
	}
}
