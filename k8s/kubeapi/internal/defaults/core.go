package defaults

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// core returns the defaults of the group without a name, except for Pods, their volumes, and Services.
func core() []rule {
	return []rule{
		fixed[corev1.NamespaceStatus](values{"phase": "Active"}),
		fixed[corev1.PersistentVolume](values{
			"spec.persistentVolumeReclaimPolicy": "Retain",
			"spec.volumeMode":                    "Filesystem",
			"status.phase":                       "Pending",
		}),
		fixed[corev1.PersistentVolumeClaim](values{"status.phase": "Pending"}),
		fixed[corev1.PersistentVolumeClaimSpec](values{"volumeMode": "Filesystem"}),
		fixed[corev1.ReplicationControllerSpec](values{"replicas": 1}),
		fixed[corev1.Secret](values{"type": "Opaque"}),

		when(nameLabel),
		when(templateLabels),
		when(allocatable),
		when(containerLimits),

		rewrite(nameLabelForced),
		rewrite(stringData),
		rewrite(podCIDR),
		rewrite(wholeMillis),
	}
}

// nameLabel labels a namespace with its name.
func nameLabel(obj *corev1.Namespace) {
	if _, ok := obj.Labels[corev1.LabelMetadataName]; !ok {
		nameLabelForced(obj)
	}
}

func nameLabelForced(obj *corev1.Namespace) {
	if obj.Name == "" || obj.Labels[corev1.LabelMetadataName] == obj.Name {
		return
	}
	if obj.Labels == nil {
		obj.Labels = map[string]string{}
	}
	obj.Labels[corev1.LabelMetadataName] = obj.Name
}

// templateLabels uses the labels of the template as selector and as labels.
func templateLabels(obj *corev1.ReplicationController) {
	if obj.Spec.Template == nil || obj.Spec.Template.Labels == nil {
		return
	}
	if len(obj.Spec.Selector) == 0 {
		obj.Spec.Selector = maps.Clone(obj.Spec.Template.Labels)
	}
	if len(obj.Labels) == 0 {
		obj.Labels = maps.Clone(obj.Spec.Template.Labels)
	}
}

// allocatable offers the whole capacity of a node to Pods.
func allocatable(obj *corev1.NodeStatus) {
	if obj.Allocatable == nil && obj.Capacity != nil {
		obj.Allocatable = obj.Capacity.DeepCopy()
	}
}

// containerLimits completes the limits of containers: the default is the maximum, and the default request is the
// default limit or else the minimum.
func containerLimits(obj *corev1.LimitRangeItem) {
	if obj.Type != corev1.LimitTypeContainer {
		return
	}
	obj.Default = withMissing(obj.Default, obj.Max)
	obj.DefaultRequest = withMissing(obj.DefaultRequest, obj.Default)
	obj.DefaultRequest = withMissing(obj.DefaultRequest, obj.Min)
}

// withMissing returns the list with the resources of others that it lacks.
func withMissing(list, others corev1.ResourceList) corev1.ResourceList {
	for name, quantity := range others {
		if _, ok := list[name]; ok {
			continue
		}
		if list == nil {
			list = corev1.ResourceList{}
		}
		list[name] = quantity.DeepCopy()
	}
	return list
}

// stringData moves the texts of a secret, which clients can only write, to its data.
func stringData(obj *corev1.Secret) {
	for key, text := range obj.StringData {
		if obj.Data == nil {
			obj.Data = map[string][]byte{}
		}
		obj.Data[key] = []byte(text)
	}
	obj.StringData = nil
}

// podCIDR makes the range of a node and the first of its ranges agree. The single one decides.
func podCIDR(obj *corev1.NodeSpec) {
	switch {
	case len(obj.PodCIDRs) == 0 && obj.PodCIDR == "":
	case obj.PodCIDR == "":
		obj.PodCIDR = obj.PodCIDRs[0]
	case len(obj.PodCIDRs) == 0 || obj.PodCIDRs[0] != obj.PodCIDR:
		obj.PodCIDRs = []string{obj.PodCIDR}
	}
}

// wholeMillis rounds quantities up to thousandths.
func wholeMillis(list *corev1.ResourceList) {
	for name, quantity := range *list {
		if quantity.RoundUp(-3) {
			continue
		}
		(*list)[name] = quantity
	}
}
