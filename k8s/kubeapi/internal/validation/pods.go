package validation

import (
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimachinery "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (r *report) pod(obj *corev1.Pod) {
	spec := field.NewPath("spec")
	r.podAnnotations(field.NewPath("metadata", "annotations"), obj.Annotations, &obj.Spec)
	r.podSpec(spec, &obj.Spec, true)
	if !r.existing {
		r.profilesAgree(&obj.ObjectMeta, &obj.Spec)
		r.is(len(obj.Spec.EphemeralContainers) == 0,
			field.Forbidden(spec.Child("ephemeralContainers"), "cannot be set on create"))
		r.is(obj.Spec.NodeName == "" || len(obj.Spec.SchedulingGates) == 0,
			field.Forbidden(spec.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	for _, part := range []struct {
		name       string
		containers []corev1.Container
	}{{"containers", obj.Spec.Containers}, {"initContainers", obj.Spec.InitContainers}} {
		for i, c := range part.containers {
			r.is(c.Image == strings.TrimSpace(c.Image), field.Invalid(spec.Child(part.name).Index(i).Child("image"), c.Image,
				"must not have leading or trailing whitespace"))
		}
	}
	r.createdClaims(spec.Child("volumes"), obj)
	if obj.Spec.ServiceAccountName != "" {
		return
	}
	for i, v := range obj.Spec.Volumes {
		if v.Projected == nil {
			continue
		}
		for j, s := range v.Projected.Sources {
			r.is(s.ServiceAccountToken == nil, field.Forbidden(spec.Child("volumes").Index(i).Child("projected",
				"sources").Index(j).Child("serviceAccountToken"),
				"must not be specified when serviceAccountName is not set"))
		}
	}
}

// createdClaims checks that no volume of a Pod names the claim that the server creates for another one.
func (r *report) createdClaims(list *field.Path, pod *corev1.Pod) {
	if pod.Name == "" { // the server chooses the name
		return
	}
	created := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		if v.Ephemeral != nil {
			created[pod.Name+"-"+v.Name] = true
		}
	}
	for i, v := range pod.Spec.Volumes {
		if c := v.PersistentVolumeClaim; c != nil {
			r.is(!created[c.ClaimName], field.Invalid(list.Index(i).Child("persistentVolumeClaim", "claimName"), c.ClaimName,
				"must not reference a PVC that gets created for an ephemeral volume"))
		}
	}
}

func (r *report) podTemplate(obj *corev1.PodTemplate) {
	r.template(field.NewPath("template"), &obj.Template)
}

// template checks the template of a Pod.
func (r *report) template(p *field.Path, t *corev1.PodTemplateSpec) {
	r.labels(p.Child("labels"), t.Labels)
	r.add(apimachinery.ValidateAnnotations(t.Annotations, p.Child("annotations"))...)
	r.podAnnotations(p.Child("annotations"), t.Annotations, &t.Spec)
	r.podSpec(p.Child("spec"), &t.Spec, false)
	r.is(len(t.Spec.EphemeralContainers) == 0, field.Forbidden(p.Child("spec", "ephemeralContainers"),
		"ephemeral containers not allowed in pod template"))
}

// podSpec checks the specification of a Pod, or that of a template.
func (r *report) podSpec(p *field.Path, s *corev1.PodSpec, isPod bool) {
	if s.TerminationGracePeriodSeconds == nil {
		r.add(field.Required(p.Child("terminationGracePeriodSeconds"), ""))
	}
	c := containerRules{report: r, pod: s, volumes: r.volumes(p.Child("volumes"), s.Volumes, isPod)}
	c.containers(p.Child("containers"))
	c.initContainers(p.Child("initContainers"))
	c.ephemeralContainers(p.Child("ephemeralContainers"))
	r.claims(p.Child("resourceClaims"), s.ResourceClaims)
	r.podResources(p.Child("resources"), s)
	r.dns(p.Child("dnsConfig"), s)
	r.hostProcesses(p, s)
	r.hostUsers(p, s)
	r.hostname(p.Child("hostnameOverride"), s)
	if s.Overhead != nil {
		r.resources(p.Child("overhead"), &corev1.ResourceRequirements{Limits: s.Overhead}, nil)
	}
	r.podOS(p, s)
	r.schedulingGroup(p.Child("schedulingGroup"), s.SchedulingGroup)
	r.filesOfVariables(p, s)
	if s.HostNetwork {
		r.hostNetworkPorts(p.Child("containers"), s.Containers, isPod)
	}
	oneOf(r, p.Child("restartPolicy"), s.RestartPolicy, corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure,
		corev1.RestartPolicyNever)
	oneOf(r, p.Child("dnsPolicy"), s.DNSPolicy, corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst,
		corev1.DNSDefault, corev1.DNSNone)
	r.labels(p.Child("nodeSelector"), s.NodeSelector)
	r.affinity(p.Child("affinity"), s.Affinity)
	r.readinessGates(p.Child("readinessGates"), s.ReadinessGates)
	gates := map[string]bool{}
	for i, g := range s.SchedulingGates {
		r.follows(p.Child("schedulingGates").Index(i), g.Name, validation.IsQualifiedName)
		r.distinct(p.Child("schedulingGates").Index(i), g.Name, gates)
	}
	r.spread(p.Child("topologySpreadConstraints"), s.TopologySpreadConstraints)
	if c := s.SecurityContext; c != nil {
		r.podSecurity(p.Child("securityContext"), s, c)
	}
	r.optional(p.Child("serviceAccountName"), s.ServiceAccountName, validation.IsDNS1123Subdomain)
	r.optional(p.Child("nodeName"), s.NodeName, validation.IsDNS1123Subdomain)
	if d := s.ActiveDeadlineSeconds; d != nil {
		r.is(*d >= 1 && *d <= math.MaxInt32, field.Invalid(p.Child("activeDeadlineSeconds"), *d,
			validation.InclusiveRangeError(1, math.MaxInt32)))
	}
	r.optional(p.Child("hostname"), s.Hostname, validation.IsDNS1123Label)
	r.optional(p.Child("subdomain"), s.Subdomain, validation.IsDNS1123Label)
	r.tolerations(p.Child("tolerations"), s.Tolerations)
	r.noComparisons(p.Child("tolerations"), s.Tolerations)
	for i, a := range s.HostAliases {
		r.ip(p.Child("hostAliases").Index(i).Child("ip"), a.IP)
		for j, name := range a.Hostnames {
			r.follows(p.Child("hostAliases").Index(i).Child("hostnames").Index(j), name, validation.IsDNS1123Subdomain)
		}
	}
	r.optional(p.Child("priorityClassName"), s.PriorityClassName, validation.IsDNS1123Subdomain)
	if s.RuntimeClassName != nil {
		r.follows(p.Child("runtimeClassName"), *s.RuntimeClassName, validation.IsDNS1123Subdomain)
	}
	if s.PreemptionPolicy != nil {
		oneOf(r, p.Child("preemptionPolicy"), *s.PreemptionPolicy, corev1.PreemptLowerPriority, corev1.PreemptNever)
	}
}

// hostNetworkPorts checks that a container in the network of its node has the same ports there.
func (r *report) hostNetworkPorts(p *field.Path, containers []corev1.Container, isPod bool) {
	for i, c := range containers {
		for j, port := range c.Ports {
			r.is(port.HostPort == port.ContainerPort || port.HostPort == 0 && !isPod,
				field.Invalid(p.Index(i).Child("ports").Index(j).Child("hostPort"), port.HostPort,
					"must match `containerPort` when `hostNetwork` is true"))
		}
	}
}

func (r *report) readinessGates(p *field.Path, gates []corev1.PodReadinessGate) {
	for i, g := range gates {
		r.follows(p.Index(i).Child("conditionType"), string(g.ConditionType), validation.IsQualifiedName)
	}
}

// Tolerations returns the faults of tolerations that are not those of a Pod.
func Tolerations(p *field.Path, tolerations []corev1.Toleration) field.ErrorList {
	r := &report{}
	r.tolerations(p, tolerations)
	r.noComparisons(p, tolerations)
	return r.errs
}

func (r *report) tolerations(p *field.Path, tolerations []corev1.Toleration) {
	for i, t := range tolerations {
		p := p.Index(i)
		if t.Key != "" {
			r.add(metavalidation.ValidateLabelName(t.Key, p.Child("key"))...)
		}
		r.is(t.Key != "" || t.Operator == corev1.TolerationOpExists,
			field.Invalid(p.Child("operator"), t.Operator, "operator must be Exists when `key` is empty, which means \"match "+
				"all values and all keys\""))
		r.is(t.TolerationSeconds == nil || t.Effect == corev1.TaintEffectNoExecute,
			field.Invalid(p.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if messages := validation.IsValidLabelValue(t.Value); len(messages) > 0 {
				r.add(field.Invalid(p.Child("operator"), t.Value, strings.Join(messages, ";")))
			}
		case corev1.TolerationOpExists:
			r.is(t.Value == "", field.Invalid(p.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
		case corev1.TolerationOpLt, corev1.TolerationOpGt: // noComparisons refuses them
		default:
			r.add(field.NotSupported(p.Child("operator"), t.Operator,
				[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			supported(r, p.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
				corev1.TaintEffectNoExecute)
		}
	}
}

// noComparisons refuses the operators that compare numbers, which need a feature gate that is off.
func (r *report) noComparisons(p *field.Path, tolerations []corev1.Toleration) {
	for i, t := range tolerations {
		if t.Operator == corev1.TolerationOpLt || t.Operator == corev1.TolerationOpGt {
			r.add(field.NotSupported(p.Index(i).Child("operator"), t.Operator, []corev1.TolerationOperator{
				corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt}))
		}
	}
}

// labelKeys checks the labels whose values a Pod adds to a selector.
func (r *report) labelKeys(p *field.Path, keys []string, selector *metav1.LabelSelector) {
	if selector == nil {
		r.is(len(keys) == 0, field.Forbidden(p, "must not be specified when labelSelector is not set"))
		return
	}
	for i, key := range keys {
		r.add(metavalidation.ValidateLabelName(key, p.Index(i))...)
	}
}

func (r *report) spread(p *field.Path, constraints []corev1.TopologySpreadConstraint) {
	for i, c := range constraints {
		p := p.Index(i)
		r.is(c.MaxSkew > 0, field.Invalid(p.Child("maxSkew"), int64(c.MaxSkew), "must be greater than zero"))
		r.is(c.TopologyKey != "", field.Required(p.Child("topologyKey"), "can not be empty"))
		supported(r, p.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, corev1.DoNotSchedule, corev1.ScheduleAnyway)
		r.selector(p.Child("labelSelector"), c.LabelSelector)
		if least := c.MinDomains; least != nil {
			r.is(*least > 0, field.Invalid(p.Child("minDomains"), int64(*least), "must be greater than zero"))
			r.is(c.WhenUnsatisfiable == corev1.DoNotSchedule, field.Invalid(p.Child("minDomains"), least,
				fmt.Sprintf("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not %s", c.WhenUnsatisfiable)))
		}
		optionalOneOf(r, p.Child("nodeAffinityPolicy"), c.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor,
			corev1.NodeInclusionPolicyIgnore)
		optionalOneOf(r, p.Child("nodeTaintsPolicy"), c.NodeTaintsPolicy, corev1.NodeInclusionPolicyHonor,
			corev1.NodeInclusionPolicyIgnore)
		r.labelKeys(p.Child("matchLabelKeys"), c.MatchLabelKeys, c.LabelSelector)
		for _, other := range constraints[i+1:] {
			if other.TopologyKey == c.TopologyKey && other.WhenUnsatisfiable == c.WhenUnsatisfiable {
				r.add(field.Duplicate(p.Child("{topologyKey, whenUnsatisfiable}"),
					fmt.Sprintf("{%s, %s}", c.TopologyKey, c.WhenUnsatisfiable)))
				break
			}
		}
	}
}
