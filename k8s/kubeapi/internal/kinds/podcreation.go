package kinds

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/apparmor"
	"github.com/decorum-go/decorum/rest"
)

// mergeLabelKeys adds labels of a new Pod to the selectors of its affinities and spread constraints, for the scheduler.
// The affinities and constraints name the keys of these labels.
func mergeLabelKeys(pod *corev1.Pod) {
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		addLabels(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
	if pod.Spec.Affinity == nil {
		return
	}
	add := func(terms []corev1.PodAffinityTerm, weighted []corev1.WeightedPodAffinityTerm) {
		for i := range weighted {
			addLabelsOfTerm(&weighted[i].PodAffinityTerm, pod.Labels)
		}
		for i := range terms {
			addLabelsOfTerm(&terms[i], pod.Labels)
		}
	}
	if a := pod.Spec.Affinity.PodAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := pod.Spec.Affinity.PodAntiAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func addLabelsOfTerm(t *corev1.PodAffinityTerm, labels map[string]string) {
	addLabels(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, labels)
	addLabels(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, labels)
}

// addLabels adds the labels with these keys to a selector. A nil selector selects nothing and stays nil.
func addLabels(s *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator,
	labels map[string]string) {
	if s == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
		}
	}
}

// maxProfileName is the length of the longest name of an AppArmor profile.
const maxProfileName = 4095

// copyAppArmor copies the AppArmor profiles in the annotations of a new Pod into the fields of its containers. It warns
// about annotations that had no counterpart in the fields.
func copyAppArmor(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.OS != nil && pod.Spec.OS.Name == corev1.Windows {
		return
	}
	copyTo := func(name string, s **corev1.SecurityContext) {
		key := corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix + name
		text, ok := pod.Annotations[key]
		if !ok || *s != nil && (*s).AppArmorProfile != nil {
			return
		}
		profile := apparmor.Profile(text)
		if profile != nil && profile.LocalhostProfile != nil {
			if name := *profile.LocalhostProfile; strings.TrimSpace(name) != name || len(name) > maxProfileName {
				profile = nil
			}
		}
		ofPod := pod.Spec.SecurityContext
		if profile != nil && ofPod != nil && equality.Semantic.DeepEqual(profile, ofPod.AppArmorProfile) {
			return
		}
		if profile != nil {
			if *s == nil {
				*s = &corev1.SecurityContext{}
			}
			(*s).AppArmorProfile = profile
		}
		rest.Warn(ctx, fmt.Sprintf("metadata.annotations[%s]: %s", key, apparmor.Deprecation))
	}
	for i := range pod.Spec.InitContainers {
		copyTo(pod.Spec.InitContainers[i].Name, &pod.Spec.InitContainers[i].SecurityContext)
	}
	for i := range pod.Spec.Containers {
		copyTo(pod.Spec.Containers[i].Name, &pod.Spec.Containers[i].SecurityContext)
	}
	for i := range pod.Spec.EphemeralContainers {
		copyTo(pod.Spec.EphemeralContainers[i].Name, &pod.Spec.EphemeralContainers[i].SecurityContext)
	}
}
