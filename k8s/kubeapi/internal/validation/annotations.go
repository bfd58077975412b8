package validation

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// These constants name the annotations that k8s.io/api does not name.
const (
	ingressClassKey     = "kubernetes.io/ingress.class"
	sourceRangesKey     = "service.beta.kubernetes.io/load-balancer-source-ranges"
	keptZeroSharesKey   = "flowcontrol.k8s.io/preserve-zero-concurrency-shares"
	appArmorPrefix      = corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix
	appArmorLocalPrefix = corev1.DeprecatedAppArmorBetaProfileNamePrefix
)

// podAnnotations checks the annotations of a Pod or of a template.
func (r *report) podAnnotations(p *field.Path, annotations map[string]string, spec *corev1.PodSpec) {
	if value, ok := annotations[corev1.MirrorPodAnnotationKey]; ok && spec.NodeName == "" {
		r.add(field.Invalid(p.Key(corev1.MirrorPodAnnotationKey), value,
			"must set spec.nodeName if mirror pod annotation is set"))
	}
	if text := annotations[corev1.TolerationsAnnotationKey]; text != "" {
		var tolerations []corev1.Toleration
		if err := json.Unmarshal([]byte(text), &tolerations); err != nil {
			r.add(field.Invalid(p, corev1.TolerationsAnnotationKey, err.Error()))
		} else {
			r.tolerations(p.Child(corev1.TolerationsAnnotationKey), tolerations)
		}
	}
	if cost, ok := annotations[corev1.PodDeletionCost]; ok && !isDeletionCost(cost) {
		r.add(field.Invalid(p.Key(corev1.PodDeletionCost), cost, "must be a 32bit integer"))
	}
	if profile, ok := annotations[corev1.SeccompPodAnnotationKey]; ok {
		r.seccompAnnotation(p.Child(corev1.SeccompPodAnnotationKey), profile)
	}
	for key, profile := range annotations {
		if strings.HasPrefix(key, corev1.SeccompContainerAnnotationKeyPrefix) {
			r.seccompAnnotation(p.Child(key), profile)
		}
		container, ok := strings.CutPrefix(key, appArmorPrefix)
		if !ok {
			continue
		}
		r.is(hasContainer(spec, container), field.Invalid(p.Key(key), container, "container not found"))
		r.is(profile == "" || profile == corev1.DeprecatedAppArmorBetaProfileRuntimeDefault ||
			profile == corev1.DeprecatedAppArmorBetaProfileNameUnconfined || strings.HasPrefix(profile, appArmorLocalPrefix),
			field.Invalid(p.Key(key), profile, fmt.Sprintf("invalid AppArmor profile name: %q", profile)))
	}
}

// isDeletionCost reports whether a text is a number of 32 bits without a plus and without leading zeros.
func isDeletionCost(text string) bool {
	n, err := strconv.ParseInt(text, 10, 32)
	return err == nil && (strings.HasPrefix(text, "-") || text == strconv.FormatInt(n, 10))
}

func (r *report) seccompAnnotation(p *field.Path, profile string) {
	switch profile {
	case corev1.SeccompProfileRuntimeDefault, corev1.DeprecatedSeccompProfileDockerDefault,
		corev1.SeccompProfileNameUnconfined:
		return
	}
	if file, ok := strings.CutPrefix(profile, corev1.SeccompLocalhostProfileNamePrefix); ok {
		r.relativePath(p, file)
		return
	}
	r.add(field.Invalid(p, profile, "must be a valid seccomp profile"))
}

// eachOf calls f with the containers of a Pod and their paths.
func eachOf(spec *corev1.PodSpec, f func(p *field.Path, c *corev1.Container)) {
	p := field.NewPath("spec")
	for i := range spec.InitContainers {
		f(p.Child("initContainers").Index(i), &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		f(p.Child("containers").Index(i), &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		c := corev1.Container(spec.EphemeralContainers[i].EphemeralContainerCommon)
		f(p.Child("ephemeralContainers").Index(i), &c)
	}
}

func hasContainer(spec *corev1.PodSpec, name string) (found bool) {
	eachOf(spec, func(_ *field.Path, c *corev1.Container) { found = found || c.Name == name })
	return found
}

// profile is the profile of a container, in the form that seccomp and AppArmor share.
type profile struct {
	kind string // RuntimeDefault, Unconfined or Localhost
	file *string
}

// profilesAgree checks that the annotations and the fields of a new Pod name the same profiles.
func (r *report) profilesAgree(m *metav1.ObjectMeta, spec *corev1.PodSpec) {
	seccomp := []string{corev1.SeccompProfileRuntimeDefault, corev1.DeprecatedSeccompProfileDockerDefault}
	ofPod := spec.SecurityContext
	if ofPod != nil && ofPod.SeccompProfile != nil {
		r.agrees(field.NewPath("spec", "securityContext", "seccompProfile"), "seccomp", m.Annotations,
			corev1.SeccompPodAnnotationKey, profile{string(ofPod.SeccompProfile.Type), ofPod.SeccompProfile.LocalhostProfile},
			seccomp...)
	}
	eachOf(spec, func(p *field.Path, c *corev1.Container) {
		if s := c.SecurityContext; s != nil && s.SeccompProfile != nil {
			r.agrees(p.Child("securityContext", "seccompProfile"), "seccomp", m.Annotations,
				corev1.SeccompContainerAnnotationKeyPrefix+c.Name,
				profile{string(s.SeccompProfile.Type), s.SeccompProfile.LocalhostProfile}, seccomp...)
		}
	})
	if spec.OS != nil && spec.OS.Name == corev1.Windows {
		return
	}
	eachOf(spec, func(p *field.Path, c *corev1.Container) {
		var its *corev1.AppArmorProfile
		if ofPod != nil {
			its = ofPod.AppArmorProfile
		}
		if c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil {
			its = c.SecurityContext.AppArmorProfile
		}
		if its != nil {
			r.agrees(p.Child("securityContext", "appArmorProfile"), "apparmor", m.Annotations, appArmorPrefix+c.Name,
				profile{string(its.Type), its.LocalhostProfile}, corev1.DeprecatedAppArmorBetaProfileRuntimeDefault)
		}
	})
}

// agrees checks that an annotation, if present, names a profile. defaults are the texts for RuntimeDefault.
func (r *report) agrees(p *field.Path, what string, annotations map[string]string, key string, its profile,
	defaults ...string) {
	text, ok := annotations[key]
	if !ok {
		return
	}
	file, isLocal := strings.CutPrefix(text, "localhost/")
	switch its.kind {
	case "Unconfined":
		ok = text == "unconfined"
	case "RuntimeDefault":
		ok = text == defaults[0] || len(defaults) > 1 && text == defaults[1]
	case "Localhost":
		if ok = isLocal; ok && (its.file == nil || file != *its.file) {
			r.add(field.Forbidden(p.Child("localhostProfile"), what+" profile in annotation and field must match"))
		}
	}
	r.is(ok, field.Forbidden(p.Child("type"), what+" type in annotation and field must match"))
}

// podAnnotationsChange checks that an update of a Pod keeps the annotations that a node may have read.
func (r *report) podAnnotationsChange(now, was map[string]string) {
	p := field.NewPath("metadata", "annotations")
	for key, value := range was {
		if kept, ok := now[key]; ok && kept == value {
			continue
		}
		r.is(!strings.HasPrefix(key, appArmorPrefix),
			field.Forbidden(p.Key(key), "may not remove or update AppArmor annotations"))
		r.is(key != corev1.MirrorPodAnnotationKey,
			field.Forbidden(p.Key(key), "may not remove or update mirror pod annotation"))
	}
	for key := range now {
		if _, ok := was[key]; ok {
			continue
		}
		r.is(!strings.HasPrefix(key, appArmorPrefix), field.Forbidden(p.Key(key), "may not add AppArmor annotations"))
		r.is(key != corev1.MirrorPodAnnotationKey, field.Forbidden(p.Key(key), "may not add mirror pod annotation"))
	}
}

// nodeAnnotations checks the annotations of a Node for taints and for Pods to avoid.
func (r *report) nodeAnnotations(annotations map[string]string) {
	p := field.NewPath("metadata", "annotations")
	if text := annotations[corev1.TaintsAnnotationKey]; text != "" {
		var taints []corev1.Taint
		if err := json.Unmarshal([]byte(text), &taints); err != nil {
			r.add(field.Invalid(p, corev1.TaintsAnnotationKey, err.Error()))
		} else {
			r.taints(p.Child(corev1.TaintsAnnotationKey), taints)
		}
	}
	text := annotations[corev1.PreferAvoidPodsAnnotationKey]
	if text == "" {
		return
	}
	var avoided corev1.AvoidPods
	if err := json.Unmarshal([]byte(text), &avoided); err != nil {
		r.add(field.Invalid(p.Child("AvoidPods"), corev1.PreferAvoidPodsAnnotationKey, err.Error()))
		return
	}
	for i, entry := range avoided.PreferAvoidPods {
		at := p.Child(corev1.PreferAvoidPodsAnnotationKey).Index(i).Child("PodSignature")
		switch c := entry.PodSignature.PodController; {
		case c == nil:
			r.add(field.Required(at, ""))
		case c.Controller == nil || !*c.Controller:
			r.add(field.Invalid(at.Child("PodController", "Controller"), false, "must point to a controller"))
		}
	}
}

// serviceAnnotations checks the annotations of a Service.
func (r *report) serviceAnnotations(s *corev1.Service) {
	p := field.NewPath("metadata", "annotations")
	hints, hinted := s.Annotations[corev1.DeprecatedAnnotationTopologyAwareHints]
	mode, moded := s.Annotations[corev1.AnnotationTopologyMode]
	r.is(!hinted || !moded || hints == mode, field.Invalid(p.Key(corev1.AnnotationTopologyMode), mode,
		fmt.Sprintf("must match annotations[%s] when both are specified", corev1.DeprecatedAnnotationTopologyAwareHints)))
	ranges, limited := s.Annotations[sourceRangesKey]
	if !limited || len(s.Spec.LoadBalancerSourceRanges) > 0 {
		return
	}
	r.is(s.Spec.Type == corev1.ServiceTypeLoadBalancer,
		field.Forbidden(p.Key(sourceRangesKey), "may only be used when `type` is 'LoadBalancer'"))
	if ranges = strings.TrimSpace(ranges); ranges == "" {
		return
	}
	for text := range strings.SplitSeq(ranges, ",") {
		r.cidr(p.Key(sourceRangesKey), strings.TrimSpace(text))
	}
}
