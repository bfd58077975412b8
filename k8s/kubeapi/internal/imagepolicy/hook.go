package imagepolicy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/api/imagepolicy/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest/admission"
)

// Name is the name of the plugin.
const Name = "ImagePolicyWebhook"

var reviewMeta = metav1.TypeMeta{APIVersion: "imagepolicy.k8s.io/v1alpha1", Kind: "ImageReview"}

// plugin asks one server.
type plugin struct {
	config  config
	answers answers
}

// Hooks returns the hooks of the plugin with a configuration, which it needs.
func Hooks(text []byte) ([]admission.Hook, error) {
	c, err := configIn(text)
	if err != nil {
		return nil, err
	}
	p := &plugin{config: c}
	return []admission.Hook{{Name: "image-policy.kubeapi", Resources: []string{"pods", "pods/ephemeralcontainers"},
		Operations: []admission.Operation{admission.Create, admission.Update}, Validate: p.admit}}, nil
}

// admit refuses a Pod whose images the server does not allow.
func (p *plugin) admit(ctx context.Context, r *admission.Request) error {
	var pod corev1.Pod
	if err := r.Object(&pod); err != nil {
		return err
	}
	review, err := json.Marshal(v1alpha1.ImageReview{TypeMeta: reviewMeta, Spec: v1alpha1.ImageReviewSpec{
		Containers: imagesOf(&pod, r.Subresource), Annotations: annotationsFor(&pod), Namespace: r.Namespace}})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(review)
	v, known := p.answers.get(sum)
	if !known {
		if v, err = p.ask(ctx, review); err != nil {
			if p.config.allowAfterFailures {
				return nil
			}
			return err
		}
		ttl := p.config.denyTTL
		if v.allowed {
			ttl = p.config.allowTTL
		}
		p.answers.keep(sum, v, ttl)
	}
	switch {
	case v.allowed:
		return nil
	case v.reason != "":
		return fmt.Errorf("image policy webhook backend denied one or more images: %s", v.reason)
	}
	return errors.New("one or more images rejected by webhook backend")
}

// imagesOf returns the images that a write concerns: those of the ephemeral containers in a write to them, and those of
// all other containers in a write of the Pod.
func imagesOf(pod *corev1.Pod, subresource string) (images []v1alpha1.ImageReviewContainerSpec) {
	add := func(image string) { images = append(images, v1alpha1.ImageReviewContainerSpec{Image: image}) }
	if subresource != "" {
		for _, c := range pod.Spec.EphemeralContainers {
			add(c.Image)
		}
		return images
	}
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for _, c := range containers {
			add(c.Image)
		}
	}
	return images
}

// annotationsFor returns the annotations of a Pod that are meant for the server.
func annotationsFor(pod *corev1.Pod) map[string]string {
	chosen := map[string]string{}
	for key, value := range pod.Annotations {
		if strings.Contains(key, ".image-policy.k8s.io/") {
			chosen[key] = value
		}
	}
	return chosen
}
