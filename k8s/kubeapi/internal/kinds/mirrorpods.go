package kinds

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// mirror lets a kubelet create a mirror Pod, which shows a Pod that runs on its node without the API. Such a Pod must
// not use other objects of the API, because the kubelet would get the right to read them.
func (k *kubelet) mirror(ctx context.Context, pod *corev1.Pod) error {
	if _, ok := pod.Annotations[mirrorPod]; !ok {
		return fmt.Errorf("pod does not have %q annotation, node %q can only create mirror pods", mirrorPod, k.node)
	}
	switch owners := pod.OwnerReferences; {
	case pod.Spec.NodeName != k.node:
		return fmt.Errorf("node %q can only create pods with spec.nodeName set to itself", k.node)
	case len(owners) > 1:
		return fmt.Errorf("node %q can only create pods with a single owner reference set to itself", k.node)
	case len(owners) == 0 || owners[0].APIVersion != "v1" || owners[0].Kind != "Node" || owners[0].Name != k.node:
		return fmt.Errorf("node %q can only create pods with an owner reference set to itself", k.node)
	case owners[0].Controller == nil || !*owners[0].Controller:
		return fmt.Errorf("node %q can only create pods with a controller owner reference set to itself", k.node)
	case owners[0].BlockOwnerDeletion != nil && *owners[0].BlockOwnerDeletion:
		return fmt.Errorf("node %q must not set blockOwnerDeletion on an owner reference", k.node)
	}
	node, err := objectIn[corev1.Node](ctx, "", k.node)
	if err != nil {
		return err
	}
	if uid := pod.OwnerReferences[0].UID; uid != node.UID {
		return fmt.Errorf("node %s UID mismatch: expected %s got %s", k.node, uid, node.UID)
	}
	if used := usedBy(&pod.Spec); used != "" {
		return fmt.Errorf("node %q can not create pods that reference %s", k.node, used)
	}
	return nil
}

// usedBy names a resource whose objects a Pod uses, or returns "".
func usedBy(spec *corev1.PodSpec) string {
	containers := slices.Concat(spec.InitContainers, spec.Containers)
	for _, c := range spec.EphemeralContainers {
		containers = append(containers, corev1.Container(c.EphemeralContainerCommon))
	}
	uses := func(env func(corev1.EnvVarSource) bool, from func(corev1.EnvFromSource) bool) bool {
		return slices.ContainsFunc(containers, func(c corev1.Container) bool {
			return slices.ContainsFunc(c.EnvFrom, from) ||
				slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.ValueFrom != nil && env(*e.ValueFrom) })
		})
	}
	switch {
	case spec.ServiceAccountName != "":
		return "serviceaccounts"
	case len(spec.ImagePullSecrets) > 0 || slices.ContainsFunc(spec.Volumes, hasSecret) ||
		uses(func(e corev1.EnvVarSource) bool { return e.SecretKeyRef != nil },
			func(e corev1.EnvFromSource) bool { return e.SecretRef != nil }):
		return "secrets"
	case slices.ContainsFunc(spec.Volumes, hasConfigMap) ||
		uses(func(e corev1.EnvVarSource) bool { return e.ConfigMapKeyRef != nil },
			func(e corev1.EnvFromSource) bool { return e.ConfigMapRef != nil }):
		return "configmaps"
	case len(spec.ResourceClaims) > 0:
		return "resourceclaims"
	}
	for _, v := range spec.Volumes {
		switch {
		case v.CSI != nil:
			return "csidrivers (via CSI volumes)"
		case v.Glusterfs != nil:
			return "endpoints (via glusterFS volumes)"
		case v.PersistentVolumeClaim != nil:
			return "persistentvolumeclaims"
		case v.Ephemeral != nil:
			return "persistentvolumeclaims (via ephemeral volumes)"
		case v.Projected == nil:
			continue
		}
		for _, s := range v.Projected.Sources {
			switch {
			case s.ServiceAccountToken != nil:
				return "serviceaccounts (via projected volumes)"
			case s.ClusterTrustBundle != nil:
				return "clustertrustbundles"
			case s.PodCertificate != nil:
				return "podcertificates"
			}
		}
	}
	return ""
}

// hasSecret reports whether a volume names a Secret.
func hasSecret(v corev1.Volume) bool {
	for _, named := range []bool{
		v.Secret != nil, v.AzureFile != nil,
		v.CephFS != nil && v.CephFS.SecretRef != nil, v.Cinder != nil && v.Cinder.SecretRef != nil,
		v.FlexVolume != nil && v.FlexVolume.SecretRef != nil, v.RBD != nil && v.RBD.SecretRef != nil,
		v.ScaleIO != nil && v.ScaleIO.SecretRef != nil, v.ISCSI != nil && v.ISCSI.SecretRef != nil,
		v.StorageOS != nil && v.StorageOS.SecretRef != nil, v.CSI != nil && v.CSI.NodePublishSecretRef != nil,
		projects(v, func(s corev1.VolumeProjection) bool { return s.Secret != nil }),
	} {
		if named {
			return true
		}
	}
	return false
}

// hasConfigMap reports whether a volume names a ConfigMap.
func hasConfigMap(v corev1.Volume) bool {
	return v.ConfigMap != nil || projects(v, func(s corev1.VolumeProjection) bool { return s.ConfigMap != nil })
}

func projects(v corev1.Volume, source func(corev1.VolumeProjection) bool) bool {
	return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, source)
}
