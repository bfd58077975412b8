package validation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) configMap(obj *corev1.ConfigMap) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(obj.Data)) {
		p := field.NewPath("data").Key(key)
		r.follows(p, key, validation.IsConfigMapKey)
		_, twice := obj.BinaryData[key]
		r.is(!twice, field.Invalid(p, key, "duplicate of key present in binaryData"))
		size += len(obj.Data[key])
	}
	for _, key := range slices.Sorted(maps.Keys(obj.BinaryData)) {
		r.follows(field.NewPath("binaryData").Key(key), key, validation.IsConfigMapKey)
		size += len(obj.BinaryData[key])
	}
	r.is(size <= corev1.MaxSecretSize, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
}

func (r *report) secret(obj *corev1.Secret) {
	data, size := field.NewPath("data"), 0
	for _, key := range slices.Sorted(maps.Keys(obj.Data)) {
		r.follows(data.Key(key), key, validation.IsConfigMapKey)
		size += len(obj.Data[key])
	}
	r.is(size <= corev1.MaxSecretSize, field.TooLong(data, "", corev1.MaxSecretSize))
	has := func(key string) bool { _, ok := obj.Data[key]; return ok }
	needs := func(keys ...string) {
		for _, key := range keys {
			r.is(has(key), field.Required(data.Key(key), ""))
		}
	}
	switch obj.Type {
	case corev1.SecretTypeServiceAccountToken:
		r.given(field.NewPath("metadata", "annotations").Key(corev1.ServiceAccountNameKey),
			obj.Annotations[corev1.ServiceAccountNameKey])
	case corev1.SecretTypeDockercfg:
		needs(corev1.DockerConfigKey)
		r.json(data.Key(corev1.DockerConfigKey), obj.Data[corev1.DockerConfigKey])
	case corev1.SecretTypeDockerConfigJson:
		needs(corev1.DockerConfigJsonKey)
		r.json(data.Key(corev1.DockerConfigJsonKey), obj.Data[corev1.DockerConfigJsonKey])
	case corev1.SecretTypeBasicAuth:
		if !has(corev1.BasicAuthUsernameKey) && !has(corev1.BasicAuthPasswordKey) {
			needs(corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		}
	case corev1.SecretTypeSSHAuth:
		r.is(len(obj.Data[corev1.SSHAuthPrivateKey]) > 0, field.Required(data.Key(corev1.SSHAuthPrivateKey), ""))
	case corev1.SecretTypeTLS:
		needs(corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
}

// json checks that a value of a secret is an object. The message does not show the value.
func (r *report) json(p *field.Path, value []byte) {
	if value == nil {
		return
	}
	if err := json.Unmarshal(value, &map[string]any{}); err != nil {
		r.add(field.Invalid(p, "<secret contents redacted>", err.Error()))
	}
}

func (r *report) replicationController(obj *corev1.ReplicationController) {
	p, s := field.NewPath("spec"), &obj.Spec
	number(r, p.Child("minReadySeconds"), s.MinReadySeconds)
	optionalNumber(r, p.Child("replicas"), s.Replicas)
	r.is(len(s.Selector) > 0, field.Required(p.Child("selector"), ""))
	if s.Template == nil {
		r.add(field.Required(p.Child("template"), ""))
		return
	}
	r.is(labels.SelectorFromSet(s.Selector).Matches(labels.Set(s.Template.Labels)),
		field.Invalid(p.Child("template", "metadata", "labels"), s.Template.Labels,
			"`selector` does not match template `labels`"))
	r.template(p.Child("template"), s.Template)
	r.is(s.Template.Spec.ActiveDeadlineSeconds == nil, field.Forbidden(p.Child("template", "spec",
		"activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicationController is not Supported"))
	if s.Template.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		r.add(field.NotSupported(p.Child("template", "spec", "restartPolicy"), s.Template.Spec.RestartPolicy,
			[]corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
}

func (r *report) service(obj *corev1.Service) {
	r.serviceAnnotations(obj)
	p := field.NewPath("spec")
	s := &obj.Spec
	r.is(len(s.Ports) > 0 || isHeadless(s) || s.Type == corev1.ServiceTypeExternalName, field.Required(p.Child("ports"), ""))
	if s.Type == corev1.ServiceTypeExternalName {
		r.named(p.Child("externalName"), strings.TrimSuffix(s.ExternalName, "."), validation.IsDNS1123Subdomain)
	}
	names := map[string]bool{}
	for i := range s.Ports {
		r.servicePort(p.Child("ports").Index(i), &s.Ports[i], len(s.Ports) > 1, names)
	}
	r.labels(p.Child("selector"), s.Selector)
	oneOf(r, p.Child("sessionAffinity"), s.SessionAffinity, corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone)
	if c := s.SessionAffinityConfig; s.SessionAffinity == corev1.ServiceAffinityClientIP && c != nil &&
		c.ClientIP != nil && c.ClientIP.TimeoutSeconds != nil {
		seconds := *c.ClientIP.TimeoutSeconds
		r.is(seconds > 0 && seconds <= 86400,
			field.Invalid(p.Child("sessionAffinityConfig", "clientIP", "timeoutSeconds"), seconds,
				"must be greater than 0 and less than 86400"))
	}
	oneOf(r, p.Child("type"), s.Type, corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName,
		corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort)
	r.repeatedPorts(p.Child("ports"), s)
	r.serviceAddresses(p, s)
	for i, ip := range s.ExternalIPs {
		at, before := p.Child("externalIPs").Index(i), len(r.errs)
		if r.ip(at, ip); len(r.errs) == before {
			r.endpointIP(at, ip)
		}
	}
	for i, cidr := range s.LoadBalancerSourceRanges {
		r.cidr(p.Child("LoadBalancerSourceRanges").Index(i), strings.TrimSpace(cidr))
	}
	balanced := s.Type == corev1.ServiceTypeLoadBalancer
	r.is(balanced || len(s.LoadBalancerSourceRanges) == 0, field.Forbidden(p.Child("LoadBalancerSourceRanges"),
		"may only be used when `type` is 'LoadBalancer'"))
	r.is(balanced || s.AllocateLoadBalancerNodePorts == nil, field.Forbidden(p.Child("allocateLoadBalancerNodePorts"),
		"may only be used when `type` is 'LoadBalancer'"))
	if class := s.LoadBalancerClass; class != nil && balanced {
		r.follows(p.Child("loadBalancerClass"), *class, validation.IsQualifiedName)
	} else {
		r.is(class == nil, field.Forbidden(p.Child("loadBalancerClass"), "may only be used when `type` is 'LoadBalancer'"))
	}
	r.externalTraffic(p.Child("externalTrafficPolicy"), s)
	optionalOneOf(r, p.Child("trafficDistribution"), s.TrafficDistribution, corev1.ServiceTrafficDistributionPreferClose,
		corev1.ServiceTrafficDistributionPreferSameZone, corev1.ServiceTrafficDistributionPreferSameNode)
	if t := s.InternalTrafficPolicy; t != nil {
		supported(r, p.Child("internalTrafficPolicy"), *t, corev1.ServiceInternalTrafficPolicyCluster,
			corev1.ServiceInternalTrafficPolicyLocal)
	}
}

func (r *report) externalTraffic(p *field.Path, s *corev1.ServiceSpec) {
	external := s.Type == corev1.ServiceTypeLoadBalancer || s.Type == corev1.ServiceTypeNodePort ||
		s.Type == corev1.ServiceTypeClusterIP && len(s.ExternalIPs) > 0
	health, at := s.HealthCheckNodePort, field.NewPath("spec", "healthCheckNodePort")
	switch {
	case checkedByNodes(s) && health == 0:
		r.add(field.Required(at, ""))
	case checkedByNodes(s):
		r.port(at, health)
	case health != 0:
		r.add(field.Invalid(at, health,
			"may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	if external {
		oneOf(r, p, s.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster,
			corev1.ServiceExternalTrafficPolicyLocal)
		return
	}
	r.is(s.ExternalTrafficPolicy == "", field.Invalid(p, s.ExternalTrafficPolicy,
		"may only be set for externally-accessible services"))
}

func (r *report) servicePort(p *field.Path, port *corev1.ServicePort, several bool, names map[string]bool) {
	if port.Name != "" || several {
		r.named(p.Child("name"), port.Name, validation.IsDNS1123Label)
	}
	if port.Name != "" {
		r.distinct(p.Child("name"), port.Name, names)
	}
	r.port(p.Child("port"), port.Port)
	oneOf(r, p.Child("protocol"), port.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)
	r.portOrName(p.Child("targetPort"), port.TargetPort)
	if port.AppProtocol != nil {
		r.follows(p.Child("appProtocol"), *port.AppProtocol, validation.IsQualifiedName)
	}
}

// repeatedPorts checks that each port and each port of the nodes is used once for a protocol.
func (r *report) repeatedPorts(p *field.Path, s *corev1.ServiceSpec) {
	type key struct {
		protocol corev1.Protocol
		port     int32
	}
	ports, nodePorts := map[key]bool{}, map[key]bool{}
	for i, port := range s.Ports {
		r.is(port.NodePort == 0 || s.Type != corev1.ServiceTypeClusterIP,
			field.Forbidden(p.Index(i).Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		if k := (key{port.Protocol, port.NodePort}); port.NodePort != 0 {
			r.is(!nodePorts[k], field.Duplicate(p.Index(i).Child("nodePort"), port.NodePort))
			nodePorts[k] = true
		}
		k := key{port.Protocol, port.Port}
		r.is(!ports[k], field.Duplicate(p.Index(i), corev1.ServicePort{Protocol: port.Protocol, Port: port.Port}))
		ports[k] = true
	}
}
