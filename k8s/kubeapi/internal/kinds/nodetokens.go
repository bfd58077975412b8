package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// token lets a kubelet get the tokens that the Pods on its node use.
func (k *kubelet) token(ctx context.Context) error {
	if k.Operation != admission.Create || k.Subresource != "token" {
		return nil
	}
	var request authenticationv1.TokenRequest
	if err := k.Object(&request); err != nil {
		return err
	}
	ref := request.Spec.BoundObjectRef
	switch {
	case ref == nil || ref.APIVersion != "v1" || ref.Kind != "Pod" || ref.Name == "":
		return errors.New("node requested token not bound to a pod")
	case ref.UID == "":
		return errors.New("node requested token with a pod binding without a uid")
	}
	pod, err := objectIn[corev1.Pod](ctx, k.Namespace, ref.Name)
	switch {
	case status.IsNotFound(err):
		return status.NotFound(apimeta.GroupResource{Resource: "pod"}, ref.Name)
	case err != nil:
		return err
	case ref.UID != pod.UID:
		return fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated",
			ref.UID)
	case pod.Spec.NodeName != k.node:
		return errors.New("node requested token bound to a pod scheduled on a different node")
	case len(request.Spec.Audiences) > 1:
		return errors.New("node may only request 0 or 1 audiences")
	}
	audience := strings.Join(request.Spec.Audiences, "")
	used, err := usesAudience(ctx, pod, audience)
	if err != nil {
		return fmt.Errorf("error validating audience %q: %w", audience, err)
	}
	if used {
		return nil
	}
	return k.mayRequest(ctx, "request-serviceaccounts-token-audience", audience, k.Name,
		fmt.Errorf("%s is not authorized to request tokens for audience %q", k.User.Name, audience))
}

// mayRequest returns the refusal unless the kubelet has a right on something of a ServiceAccount.
func (k *kubelet) mayRequest(ctx context.Context, verb, on, account string, refusal error) error {
	decision, err := access.Authorize(ctx, access.Access{User: k.User, Verb: access.Verb(verb), Group: k.Resource.Group,
		Version: k.Resource.Version, Resource: on, Namespace: k.Namespace, Name: account})
	if decision.Allowed() {
		return nil
	}
	if err != nil {
		return err
	}
	return refusal
}

// usesAudience reports whether a volume of a Pod needs tokens for an audience.
func usesAudience(ctx context.Context, pod *corev1.Pod, audience string) (bool, error) {
	var errs []error
	for _, v := range pod.Spec.Volumes {
		if v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool {
			return s.ServiceAccountToken != nil && s.ServiceAccountToken.Audience == audience
		}) {
			return true, nil
		}
		driver, err := driverOf(ctx, pod, &v)
		if err == nil && driver != "" {
			var found *storagev1.CSIDriver
			if found, err = objectIn[storagev1.CSIDriver](ctx, "", driver); err == nil &&
				slices.ContainsFunc(found.Spec.TokenRequests,
					func(r storagev1.TokenRequest) bool { return r.Audience == audience }) {
				return true, nil
			}
		}
		errs = append(errs, err)
	}
	return false, errors.Join(errs...)
}

// driverOf returns the CSI driver of a volume, or "". It does not know the drivers that replace those of Kubernetes.
func driverOf(ctx context.Context, pod *corev1.Pod, v *corev1.Volume) (string, error) {
	claim := ""
	switch {
	case v.CSI != nil:
		return v.CSI.Driver, nil
	case v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil:
		claim = pod.Name + "-" + v.Name
	case v.PersistentVolumeClaim != nil:
		claim = v.PersistentVolumeClaim.ClaimName
	default:
		return "", nil
	}
	c, err := objectIn[corev1.PersistentVolumeClaim](ctx, pod.Namespace, claim)
	if err != nil {
		return "", err
	}
	volume, err := objectIn[corev1.PersistentVolume](ctx, "", c.Spec.VolumeName)
	if err != nil || volume.Spec.CSI == nil {
		return "", err
	}
	return volume.Spec.CSI.Driver, nil
}

// podCertificate lets a kubelet request the certificates of the Pods on its node.
func (k *kubelet) podCertificate(ctx context.Context) error {
	switch {
	case k.Operation != admission.Create:
		return fmt.Errorf("unexpected operation %v", k.Operation)
	case k.Subresource != "":
		return fmt.Errorf("unexpected subresource %v", k.Subresource)
	}
	var request certificatesv1.PodCertificateRequest
	if err := k.Object(&request); err != nil {
		return err
	}
	asked := request.Spec
	if string(asked.NodeName) != k.node {
		return fmt.Errorf("PodCertificateRequest.Spec.NodeName=%q, which is not the requesting node %q",
			asked.NodeName, k.node)
	}
	node, err := objectIn[corev1.Node](ctx, "", k.node)
	if err != nil {
		return unexpected(fmt.Errorf("while retrieving node %q named in the PodCertificateRequest: %w", asked.NodeName, err))
	}
	name := k.Namespace + "/" + asked.PodName
	if node.UID != asked.NodeUID {
		return unexpected(fmt.Errorf("PodCertificateRequest for pod %q names node UID %q, inconsistent with the running node (%q)",
			name, asked.NodeUID, node.UID))
	}
	pod, err := objectIn[corev1.Pod](ctx, k.Namespace, asked.PodName)
	if err != nil {
		return unexpected(fmt.Errorf("while retrieving pod %q named in the PodCertificateRequest: %w", name, err))
	}
	_, mirrors := pod.Annotations[mirrorPod]
	switch {
	case pod.UID != asked.PodUID:
		return unexpected(fmt.Errorf("PodCertificateRequest for pod %q contains pod UID (%q) which differs from running pod %q",
			name, asked.PodUID, pod.UID))
	case pod.Spec.NodeName != k.node:
		return fmt.Errorf("pod %q is not running on node %q named in the PodCertificateRequest", name, asked.NodeName)
	case mirrors:
		return fmt.Errorf("pod %q is a mirror pod", name)
	case pod.Spec.ServiceAccountName != asked.ServiceAccountName:
		return fmt.Errorf("PodCertificateRequest for pod %q contains serviceAccountName (%q) that differs from running pod (%q)",
			name, asked.ServiceAccountName, pod.Spec.ServiceAccountName)
	}
	account, err := objectIn[corev1.ServiceAccount](ctx, k.Namespace, asked.ServiceAccountName)
	if err != nil && !status.IsNotFound(err) {
		return err
	}
	if err != nil || account.UID != asked.ServiceAccountUID {
		return unexpected(fmt.Errorf("PodCertificateRequest for pod %q names service account %q with UID %q, which differs from the running service account",
			name, k.Namespace+"/"+asked.ServiceAccountName, asked.ServiceAccountUID))
	}
	if slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool {
			return s.PodCertificate != nil && s.PodCertificate.SignerName == asked.SignerName
		})
	}) {
		return nil
	}
	return k.mayRequest(ctx, "request-serviceaccounts-podcertificate-signer",
		strings.ReplaceAll(asked.SignerName, "/", ":"), asked.ServiceAccountName,
		fmt.Errorf("pod %q does not mount a podCertificate projected volume for signer %q", name, asked.SignerName))
}
