package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apiresource "k8s.io/apimachinery/pkg/api/resource"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/amounts"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// permitResize lets only those Pods be resized in place that fit on their node and run on Linux. A Pod without a node
// has nothing to fit on yet.
func permitResize(ctx context.Context, r *admission.Request) error {
	now, was, err := resized(r)
	if err != nil || now.Spec.NodeName == "" || equality.Semantic.DeepEqual(now.Spec, was.Spec) {
		return err
	}
	node, err := nodeOf(ctx, now)
	if err != nil {
		return err
	}
	if system, known := node.Labels[corev1.LabelOSStable]; known && system != "linux" {
		return resizeRefused(r, "UnsupportedPlatform",
			fmt.Errorf("pod resize is only supported on linux nodes, node %q is %q", node.Name, system))
	}
	if err := fits(&now.Spec, node); err != nil {
		return resizeRefused(r, "NodeCapacity", err)
	}
	return nil
}

// resized returns the Pod of an update, after it and before it.
func resized(r *admission.Request) (now, was *corev1.Pod, err error) {
	now, was = new(corev1.Pod), new(corev1.Pod)
	return now, was, errors.Join(r.Object(now), r.OldObject(was))
}

// nodeOf returns the node of a Pod.
func nodeOf(ctx context.Context, pod *corev1.Pod) (*corev1.Node, error) {
	nodes, err := rest.ClientForHook[corev1.Node](ctx)
	if err != nil {
		return nil, err
	}
	node, err := nodes.Get(ctx, pod.Spec.NodeName)
	if status.IsNotFound(err) {
		err = fmt.Errorf("node %q not found", pod.Spec.NodeName)
	}
	return node, err
}

// resizeRefused returns the error about a resize, with a cause by which autoscalers recognize it.
func resizeRefused(r *admission.Request, cause status.CauseType, why error) error {
	err := status.Forbidden(apimeta.GroupResource{Resource: r.Resource.Resource}, r.Name, why.Error())
	err.Status.Details.Causes = append(err.Status.Details.Causes, status.Cause{Type: cause})
	return err
}

// fits returns an error if a node cannot allocate as much CPU or memory as a Pod requests.
func fits(spec *corev1.PodSpec, node *corev1.Node) error {
	var lacks []string
	for _, name := range computed {
		requested, allocatable := requestedOf(spec, name), node.Status.Allocatable[name]
		asked, has := requested.Value(), allocatable.Value()
		if name == corev1.ResourceCPU {
			asked, has = requested.MilliValue(), allocatable.MilliValue()
		}
		if asked > has {
			lacks = append(lacks, fmt.Sprintf("%s, requested: %d, allocatable: %d", name, asked, has))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return errors.New("node didn't have enough allocatable resources: " + strings.Join(lacks, "; "))
}

// requestedOf returns how much a Pod requests of a resource. The requests of the Pod as a whole replace those of its
// containers. The overhead counts only if the Pod requests anything.
func requestedOf(spec *corev1.PodSpec, name corev1.ResourceName) apiresource.Quantity {
	sum := amounts.OfContainers(spec, amounts.Requests)[name]
	if whole := spec.Resources; whole != nil && len(whole.Requests)+len(whole.Limits) > 0 {
		sum = whole.Requests[name].DeepCopy()
	}
	if overhead, ok := spec.Overhead[name]; ok && !sum.IsZero() {
		sum.Add(overhead)
	}
	return sum
}

// requireFeatures refuses a resize for which the node of the Pod has not declared the features.
func requireFeatures(ctx context.Context, r *admission.Request) error {
	now, was, err := resized(r)
	if err != nil || now.Spec.NodeName == "" {
		return err
	}
	missing := featuresOfResize(&now.Spec, &was.Spec)
	if len(missing) == 0 {
		return nil
	}
	node, err := nodeOf(ctx, now)
	if err != nil {
		return err
	}
	missing = slices.DeleteFunc(missing,
		func(feature string) bool { return slices.Contains(node.Status.DeclaredFeatures, feature) })
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("pod update requires features %s which are not available on node %q",
		strings.Join(missing, ", "), node.Name)
}

// featuresOfResize returns the names of the features that a node needs for a resize.
func featuresOfResize(now, was *corev1.PodSpec) (features []string) {
	if !equality.Semantic.DeepEqual(now.Resources, was.Resources) {
		features = append(features, "InPlacePodLevelResourcesVerticalScaling")
	}
	for i := range was.InitContainers {
		c := &was.InitContainers[i]
		stays := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if !stays && !equality.Semantic.DeepEqual(now.InitContainers[i].Resources, c.Resources) {
			return append(features, "InPlacePodVerticalScalingInitContainers")
		}
	}
	return features
}
