package k8s_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/conventions"
)

// Mill is a host's own kind that uses types of Kubernetes.
type Mill struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MillSpec   `json:"spec"`
	Status MillStatus `json:"status,omitzero"`
}

type MillSpec struct {
	Selector  *metav1.LabelSelector        `json:"selector,omitempty"`
	Template  corev1.PodTemplateSpec       `json:"template"`
	Storage   resource.Quantity            `json:"storage"`
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	SecretRef *corev1.LocalObjectReference `json:"secretRef,omitempty"`
}

type MillStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

// The author of a kind cannot change the types of Kubernetes, so Vet reports nothing about them: neither in Kubernetes'
// own kinds, nor where a kind of the host uses them.
func TestVetLeavesTypesOfKubernetesAlone(t *testing.T) {
	kinds := everyKind()
	require.NotEmpty(t, kinds)
	for _, h := range kinds {
		assert.Empty(t, conventions.Findings(h), "%s", h.gvk)
	}

	mills := rest.Resource[Mill]{Group: "mills.example.com", Version: "v1", Plural: "mills"}
	assert.Empty(t, conventions.Findings(mills))
}
