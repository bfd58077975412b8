package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// labelWithTopology gives a Pod that is created on a node or bound to one the labels of the node's region and zone. The
// node need not exist. As in kube-apiserver, a Pod that the deprecated kind Binding binds gets no labels.
func labelWithTopology(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" || !isNew(pod) && !isBinding(ctx) || isLegacyBinding(ctx) {
		return nil
	}
	nodes, err := rest.ClientForHook[corev1.Node](ctx)
	if err != nil {
		return err
	}
	node, err := nodes.Get(ctx, pod.Spec.NodeName)
	if status.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		if value, ok := node.Labels[key]; ok {
			pod.Labels = merged(pod.Labels, map[string]string{key: value})
		}
	}
	return nil
}
