package warnings

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/apparmor"
)

// pod adds the warnings about a Pod or a template of Pods. p is the path of the template, or nil for a Pod.
func (l *list) pod(p *field.Path, spec *corev1.PodSpec, m *metav1.ObjectMeta) {
	at := p.Child("spec")
	l.podPlaces(at, spec)
	l.podAnnotations(p, spec, m)
	l.volumes(at.Child("volumes"), spec.Volumes)
	l.repeatedNames(at, spec)
	l.wholeBytes(at.Child("overhead"), spec.Overhead)
	eachContainer(at, spec, func(p *field.Path, c *corev1.Container) {
		l.wholeBytes(p.Child("resources", "limits"), c.Resources.Limits)
		l.wholeBytes(p.Child("resources", "requests"), c.Resources.Requests)
		l.hiddenVariables(p.Child("env"), c.Env)
	})
	l.ports(at, spec)
	if s := spec.TerminationGracePeriodSeconds; s != nil && *s < 0 {
		l.at(at.Child("terminationGracePeriodSeconds"),
			"must be >= 0; negative values are invalid and will be treated as 1")
	}
	if spec.DNSConfig != nil {
		for i, ip := range spec.DNSConfig.Nameservers {
			l.ip(at.Child("dnsConfig", "nameservers").Index(i), ip)
		}
	}
	for i, alias := range spec.HostAliases {
		l.ip(at.Child("hostAliases").Index(i).Child("ip"), alias.IP)
	}
}

// eachContainer calls f with the containers of a Pod, in the order in which Kubernetes looks at them.
func eachContainer(at *field.Path, spec *corev1.PodSpec, f func(p *field.Path, c *corev1.Container)) {
	for i := range spec.InitContainers {
		f(at.Child("initContainers").Index(i), &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		f(at.Child("containers").Index(i), &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		c := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		f(at.Child("ephemeralContainers").Index(i), &c)
	}
}

// inert are annotations of Pods that no longer have an effect.
var inert = []struct{ key, text string }{
	{"scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`},
	{"security.alpha.kubernetes.io/sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
	{"security.alpha.kubernetes.io/unsafe-sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
}

// podAnnotations adds warnings about annotations that a field has replaced. It skips the AppArmor annotations of a Pod,
// because the code that copies them into fields warns about them.
func (l *list) podAnnotations(p *field.Path, spec *corev1.PodSpec, m *metav1.ObjectMeta) {
	for _, a := range inert {
		if _, ok := m.Annotations[a.key]; ok {
			l.at(annotation(p, a.key), "%s", a.text)
		}
	}
	const seccomp = `non-functional in v1.27+; use the "seccompProfile" field instead`
	ofPod := spec.SecurityContext
	if _, ok := m.Annotations[corev1.SeccompPodAnnotationKey]; ok && (ofPod == nil || ofPod.SeccompProfile == nil) {
		l.at(annotation(p, corev1.SeccompPodAnnotationKey), seccomp)
	}
	eachContainer(p.Child("spec"), spec, func(_ *field.Path, c *corev1.Container) {
		key := corev1.SeccompContainerAnnotationKeyPrefix + c.Name
		if _, ok := m.Annotations[key]; ok && (c.SecurityContext == nil || c.SecurityContext.SeccompProfile == nil) {
			l.at(annotation(p, key), seccomp)
		}
		key = corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix + c.Name
		text, ok := m.Annotations[key]
		if p == nil || !ok || c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil {
			return
		}
		if ofPod == nil || ofPod.AppArmorProfile == nil ||
			!equality.Semantic.DeepEqual(ofPod.AppArmorProfile, apparmor.Profile(text)) {
			l.at(annotation(p, key), apparmor.Deprecation)
		}
	})
}

// repeatedNames adds warnings about duplicate and empty names in lists.
func (l *list) repeatedNames(at *field.Path, spec *corev1.PodSpec) {
	seen := map[string]bool{}
	for i, alias := range spec.HostAliases {
		if seen[alias.IP] {
			l.at(at.Child("hostAliases").Index(i).Child("ip"), "duplicate ip %q", alias.IP)
		}
		seen[alias.IP] = true
	}
	seen = map[string]bool{}
	secrets := at.Child("imagePullSecrets")
	for i, secret := range spec.ImagePullSecrets {
		if seen[secret.Name] {
			l.at(secrets.Index(i).Child("name"), "duplicate name %q", secret.Name)
		}
		seen[secret.Name] = true
	}
	for i, secret := range spec.ImagePullSecrets {
		if secret.Name == "" {
			l.at(secrets.Index(i).Child("name"), `invalid empty name ""`)
		}
	}
}

// wholeBytes adds warnings about fractions of a byte.
func (l *list) wholeBytes(p *field.Path, amounts corev1.ResourceList) {
	for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		if amount, ok := amounts[name]; ok {
			l.wholeByte(p.Key(string(name)), amount)
		}
	}
}

func (l *list) wholeByte(p *field.Path, amount resource.Quantity) {
	if amount.MilliValue()%1000 != 0 {
		l.at(p, "fractional byte value %q is invalid, must be an integer", amount.String())
	}
}

// hiddenVariables adds warnings about variables that hide an earlier one of the same name, unless they refer to it.
func (l *list) hiddenVariables(p *field.Path, env []corev1.EnvVar) {
	seen := map[string]bool{}
	for i, v := range env {
		former := "$(" + v.Name + ")"
		if seen[v.Name] && (v.ValueFrom != nil || v.Value == former || !strings.Contains(v.Value, former)) {
			l.at(p.Index(i), "hides previous definition of %q, which may be dropped when using apply", v.Name)
		}
		seen[v.Name] = true
	}
}

// placed is a port of a container.
type placed struct {
	at *field.Path
	corev1.ContainerPort
}

// ports adds warnings about ports that two containers share, and about ports that share a name.
func (l *list) ports(at *field.Path, spec *corev1.PodSpec) {
	all, names := map[string][]placed{}, map[string]*field.Path{}
	var inNames list // they follow all other warnings about ports
	eachContainer(at, spec, func(p *field.Path, c *corev1.Container) {
		for i, port := range c.Ports {
			port := placed{p.Child("ports").Index(i), port}
			if port.HostIP != "" && port.HostPort == 0 {
				l.at(port.at, "hostIP set without hostPort: {Name:%s HostPort:%d ContainerPort:%d Protocol:%s HostIP:%s}",
					port.Name, port.HostPort, port.ContainerPort.ContainerPort, port.Protocol, port.HostIP)
			}
			number := fmt.Sprintf("%d/%s", port.ContainerPort.ContainerPort, port.Protocol)
			for _, other := range all[number] {
				if how := port.overlaps(other); how != "" {
					l.at(port.at, "%s port definition with %s", how, other.at)
				}
			}
			all[number] = append(all[number], port)
			if first, ok := names[port.Name]; ok {
				inNames.at(port.at, "duplicate port name %q with %s, services and probes that select ports by name will use %s",
					port.Name, first, first)
			} else if port.Name != "" {
				names[port.Name] = port.at
			}
		}
	})
	l.texts = append(l.texts, inNames.texts...)
}

// overlaps returns how a port overlaps another one with the same number and protocol, or "".
func (p placed) overlaps(other placed) string {
	switch {
	case p.HostIP == other.HostIP && p.HostPort == other.HostPort:
		return "duplicate"
	case p.HostPort == 0 || other.HostPort == 0:
		return "overlapping"
	case p.HostPort == other.HostPort && (p.HostIP == "") != (other.HostIP == ""):
		return "dangerously ambiguous"
	}
	return ""
}
