package kinds

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// restrictTopology refuses Pods that keep others away from more than their node.
func restrictTopology(_ context.Context, r *admission.Request) error {
	var pod corev1.Pod
	if err := r.Object(&pod); err != nil || pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return err
	}
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if term.TopologyKey != corev1.LabelHostname {
			return fmt.Errorf("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey %s but only key %s is allowed",
				term.TopologyKey, corev1.LabelHostname)
		}
	}
	return nil
}

// pullAlways makes a Pod pull all of its images again, so that it cannot use an image without credentials for it. An
// update without other images changes nothing.
func pullAlways(_ context.Context, r *admission.Request) error {
	var pod, old corev1.Pod
	if err := r.Object(&pod); err != nil {
		return err
	}
	if r.Operation == admission.Update {
		if err := r.OldObject(&old); err != nil {
			return err
		}
		was := imagesOf(&old.Spec)
		if !slices.ContainsFunc(imagesOf(&pod.Spec), func(image string) bool { return !slices.Contains(was, image) }) {
			return nil
		}
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			containers[i].ImagePullPolicy = corev1.PullAlways
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		pod.Spec.EphemeralContainers[i].ImagePullPolicy = corev1.PullAlways
	}
	for _, v := range pod.Spec.Volumes {
		if v.Image != nil {
			v.Image.PullPolicy = corev1.PullAlways
		}
	}
	return r.SetObject(&pod)
}

// imagesOf returns the images of the containers of a Pod.
func imagesOf(spec *corev1.PodSpec) (images []string) {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		images = append(images, c.Image)
	}
	for _, c := range spec.EphemeralContainers {
		images = append(images, c.Image)
	}
	return images
}

// denyExternalIPs refuses external addresses that a Service does not have yet.
func denyExternalIPs(_ context.Context, r *admission.Request) error {
	var s, old corev1.Service
	if err := r.Object(&s); err != nil {
		return err
	}
	if r.Operation == admission.Update {
		if err := r.OldObject(&old); err != nil {
			return err
		}
	}
	for _, ip := range s.Spec.ExternalIPs {
		if !slices.Contains(old.Spec.ExternalIPs, ip) {
			return errors.New("Use of external IPs is denied by admission control")
		}
	}
	return nil
}

// unexpected returns an error that is not about the request. As in kube-apiserver, the answer has code 500.
func unexpected(err error) error { return status.Generic(http.StatusInternalServerError, err.Error()) }

// tolerateExtended lets a Pod that requests resources such as example.com/gpu run on nodes that are kept for such Pods.
func tolerateExtended(ctx context.Context, pod *corev1.Pod) error {
	if bindingOf(ctx) != nil {
		return nil
	}
	var names []string
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		for name := range c.Resources.Requests {
			if extended(name) {
				names = append(names, string(name))
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		pod.Spec.Tolerations = tolerating(pod.Spec.Tolerations,
			corev1.Toleration{Key: name, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
	return nil
}

// extended reports whether the name is that of an extended resource, such as example.com/gpu, which only some nodes
// have.
func extended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) &&
		!strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
}

// tolerating adds a toleration to a list. It replaces those that differ from it only in how long they hold.
func tolerating(list []corev1.Toleration, t corev1.Toleration) []corev1.Toleration {
	if slices.ContainsFunc(list, func(has corev1.Toleration) bool { return equality.Semantic.DeepEqual(has, t) }) {
		return list
	}
	replaced := false
	for i := range list {
		if list[i].MatchToleration(&t) {
			list[i], replaced = t, true
		}
	}
	if replaced {
		return list
	}
	return append(list, t)
}
