package kinds

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
)

// restrictNodes returns the hooks of the plugin NodeRestriction. A kubelet, which is the user system:node:NAME in the
// group system:nodes, may write only its own node and what belongs to the Pods there.
func restrictNodes() []admission.Hook {
	resources := []string{"pods", "pods/*", "nodes", "nodes/*", "persistentvolumeclaims", "persistentvolumeclaims/*",
		"serviceaccounts/token", "leases.coordination.k8s.io", "csinodes.storage.k8s.io", "csinodes.storage.k8s.io/*",
		"resourceslices.resource.k8s.io", "certificatesigningrequests.certificates.k8s.io",
		"podcertificaterequests.certificates.k8s.io", "podcertificaterequests.certificates.k8s.io/*"}
	return []admission.Hook{
		{Name: "nodes-restricted.kubeapi", Operations: []admission.Operation{admission.Create, admission.Update},
			Resources: resources, SideEffects: admission.SideEffectsNone, Mutate: restrictNode},
		{Name: "deletions-of-nodes-restricted.kubeapi", Operations: []admission.Operation{admission.Delete},
			Resources: resources, Validate: restrictNode},
	}
}

// kubelet is a write of a kubelet.
type kubelet struct {
	*admission.Request
	node string
}

func restrictNode(ctx context.Context, r *admission.Request) error {
	node, ok := strings.CutPrefix(r.User.Name, "system:node:")
	if !ok || !slices.Contains(r.User.Groups, "system:nodes") {
		return nil
	}
	if node == "" {
		return fmt.Errorf("could not determine node from user %q", r.User.Name)
	}
	k := &kubelet{r, node}
	switch r.Resource.Resource {
	case "pods":
		return k.pod(ctx)
	case "nodes":
		return k.ownNode()
	case "persistentvolumeclaims":
		return k.claim()
	case "serviceaccounts":
		return k.token(ctx)
	case "leases":
		if r.Namespace != corev1.NamespaceNodeLease {
			return fmt.Errorf("can only access leases in the %q system namespace", corev1.NamespaceNodeLease)
		}
		return k.ownName("node lease")
	case "csinodes":
		if err := k.ownName("CSINode"); err != nil || r.Subresource != "status" {
			return err
		}
		return errors.New("CSIVolumeHealth feature gate is disabled")
	case "resourceslices":
		return k.slice()
	case "certificatesigningrequests":
		return k.signingRequest()
	case "podcertificaterequests":
		return k.podCertificate(ctx)
	}
	return nil
}

func (k *kubelet) unexpected() error { return fmt.Errorf("unexpected operation %q", k.Operation) }

// ownName returns an error unless the object has the name of the node.
func (k *kubelet) ownName(kind string) error {
	if k.Name == k.node {
		return nil
	}
	return fmt.Errorf("can only access %s with the same name as the requesting node", kind)
}

func (k *kubelet) pod(ctx context.Context) error {
	switch k.Subresource {
	case "":
		switch k.Operation {
		case admission.Create:
			var pod corev1.Pod
			if err := k.Object(&pod); err != nil {
				return err
			}
			return k.mirror(ctx, &pod)
		case admission.Delete:
			return k.ownPod(ctx, "node %q can only delete pods with spec.nodeName set to itself")
		}
		return fmt.Errorf("unexpected operation %q, node %q can only create and delete mirror pods", k.Operation, k.node)
	case "status":
		return k.podStatus()
	case "eviction":
		if k.Operation != admission.Create {
			return fmt.Errorf("unexpected operation %s", k.Operation)
		}
		return k.ownPod(ctx, "node %s can only evict pods with spec.nodeName set to itself")
	}
	return fmt.Errorf("unexpected pod subresource %q, only 'status' and 'eviction' are allowed", k.Subresource)
}

// ownPod returns an error unless the Pod of the write is on the node.
func (k *kubelet) ownPod(ctx context.Context, refusal string) error {
	pod, err := objectIn[corev1.Pod](ctx, k.Namespace, k.Name)
	if err == nil && pod.Spec.NodeName != k.node {
		err = fmt.Errorf(refusal, k.node)
	}
	return err
}

// objectIn returns an object, by its namespace and name.
func objectIn[T any](ctx context.Context, namespace, name string) (*T, error) {
	client, err := rest.ClientForHook[T](ctx)
	if err != nil {
		return nil, err
	}
	return client.Namespace(namespace).Get(ctx, name)
}

func (k *kubelet) podStatus() error {
	if k.Operation != admission.Update {
		return k.unexpected()
	}
	var now, was corev1.Pod
	if err := errors.Join(k.Object(&now), k.OldObject(&was)); err != nil {
		return err
	}
	same := equality.Semantic.DeepEqual
	switch {
	case was.Spec.NodeName != k.node:
		return fmt.Errorf("node %q can only update pod status for pods with spec.nodeName set to itself", k.node)
	case !same(now.Labels, was.Labels):
		return fmt.Errorf("node %q cannot update labels through pod status", k.node)
	case !same(now.Status.ResourceClaimStatuses, was.Status.ResourceClaimStatuses):
		return fmt.Errorf("node %q cannot update resource claim statues", k.node)
	case !same(now.Status.ExtendedResourceClaimStatus, was.Status.ExtendedResourceClaimStatus):
		return fmt.Errorf("node %q cannot update extended resource claim status", k.node)
	case !same(now.Status.NodeAllocatableResourceClaimStatuses, was.Status.NodeAllocatableResourceClaimStatuses):
		return fmt.Errorf("node %q cannot update node allocatable resource claim statuses", k.node)
	}
	return nil
}

func (k *kubelet) ownNode() error {
	if k.Name != k.node {
		return fmt.Errorf("node %q is not allowed to modify node %q", k.node, k.Name)
	}
	var now, was corev1.Node
	if k.Operation == admission.Delete {
		return nil
	}
	if err := k.Object(&now); err != nil {
		return err
	}
	//lint:ignore SA1019 clients still send it
	config := now.Spec.ConfigSource
	if k.Operation == admission.Create {
		if config != nil {
			return fmt.Errorf("node %q is not allowed to create pods with a non-nil configSource", k.node)
		}
		if labels := forbiddenLabels(now.Labels, nil); len(labels) > 0 {
			return fmt.Errorf("node %q is not allowed to set the following labels: %s", k.node, strings.Join(labels, ", "))
		}
		return nil
	}
	if err := k.OldObject(&was); err != nil {
		return err
	}
	labels := forbiddenLabels(now.Labels, was.Labels)
	switch {
	//lint:ignore SA1019 clients still send it
	case config != nil && !equality.Semantic.DeepEqual(config, was.Spec.ConfigSource):
		return fmt.Errorf("node %q is not allowed to update configSource to a new non-nil configSource", k.node)
	case !equality.Semantic.DeepEqual(now.Spec.Taints, was.Spec.Taints):
		return fmt.Errorf("node %q is not allowed to modify taints", k.node)
	case !equality.Semantic.DeepEqual(now.OwnerReferences, was.OwnerReferences):
		return fmt.Errorf("node %q is not allowed to modify ownerReferences", k.node)
	case len(labels) > 0:
		return fmt.Errorf("is not allowed to modify labels: %s", strings.Join(labels, ", "))
	}
	return nil
}

// forbiddenLabels returns the keys of the labels that differ, and that only others than the kubelet may set.
func forbiddenLabels(now, was map[string]string) (keys []string) {
	changed := func(from, to map[string]string) {
		for key, value := range from {
			if other, ok := to[key]; (!ok || other != value) && forbiddenLabel(key) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	changed(now, was)
	changed(was, now)
	slices.Sort(keys)
	return keys
}

func forbiddenLabel(key string) bool {
	domain, _, ok := strings.Cut(key, "/")
	in := func(names ...string) bool {
		return ok && slices.ContainsFunc(names,
			func(name string) bool { return domain == name || strings.HasSuffix(domain, "."+name) })
	}
	if in(corev1.LabelNamespaceNodeRestriction) {
		return true
	}
	switch key {
	case corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone,
		corev1.LabelFailureDomainBetaRegion, corev1.LabelInstanceType, corev1.LabelInstanceTypeStable, corev1.LabelOSStable,
		corev1.LabelArchStable, "beta.kubernetes.io/os", "beta.kubernetes.io/arch":
		return false
	}
	return in("kubernetes.io", "k8s.io") && !in(corev1.LabelNamespaceSuffixKubelet, corev1.LabelNamespaceSuffixNode)
}

func (k *kubelet) claim() error {
	if k.Subresource != "status" {
		return errors.New("may only update PVC status")
	}
	if k.Operation != admission.Update {
		return k.unexpected()
	}
	var now, was corev1.PersistentVolumeClaim
	if err := errors.Join(k.Object(&now), k.OldObject(&was)); err != nil {
		return err
	}
	for _, c := range []*corev1.PersistentVolumeClaim{&now, &was} {
		c.ResourceVersion, c.ManagedFields, c.Status.Capacity, c.Status.Conditions = "", nil, nil, nil
		c.Status.AllocatedResources, c.Status.AllocatedResourceStatuses = nil, nil
	}
	if !equality.Semantic.DeepEqual(now, was) {
		return fmt.Errorf("node %q is not allowed to update fields other than status.quantity and status.conditions", k.node)
	}
	return nil
}

func (k *kubelet) slice() error {
	var s resourcev1.ResourceSlice
	verb, read := "create", k.Object
	switch k.Operation {
	case admission.Update:
		return nil
	case admission.Delete:
		verb, read = "delete", k.OldObject
	}
	if err := read(&s); err != nil {
		return err
	}
	if s.Spec.NodeName == nil || *s.Spec.NodeName != k.node {
		return fmt.Errorf("can only %s ResourceSlice with the same NodeName as the requesting node", verb)
	}
	return nil
}

func (k *kubelet) signingRequest() error {
	var csr certificatesv1.CertificateSigningRequest
	if k.Operation != admission.Create {
		return nil
	}
	if err := k.Object(&csr); err != nil {
		return err
	}
	switch csr.Spec.SignerName {
	case certificatesv1.KubeletServingSignerName, certificatesv1.KubeAPIServerClientKubeletSignerName:
	default:
		return nil
	}
	block, _ := pem.Decode(csr.Spec.Request)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return errors.New("unable to parse csr: PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return fmt.Errorf("unable to parse csr: %w", err)
	}
	if own := "system:node:" + k.node; request.Subject.CommonName != own {
		return fmt.Errorf("can only create a node CSR with CN=%s", own)
	}
	return nil
}
