package kinds

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// labelWithTopology gives a Pod that is created on a node, or the Binding of a Pod to a node, the labels of the node's
// region and zone. The node need not exist. As in kube-apiserver, a Pod that the deprecated kind Binding binds gets no
// labels.
func labelWithTopology(ctx context.Context, pod *corev1.Pod) error {
	name, labels := pod.Spec.NodeName, &pod.Labels
	if b := bindingOf(ctx); b != nil {
		name, labels = b.Target.Name, &b.Labels
	} else if !isNew(pod) {
		return nil
	}
	if name == "" || isLegacyBinding(ctx) {
		return nil
	}
	nodes, err := rest.ClientForHook[corev1.Node](ctx)
	if err != nil {
		return err
	}
	node, err := nodes.Get(ctx, name)
	if status.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		if value, ok := node.Labels[key]; ok {
			*labels = merged(*labels, map[string]string{key: value})
		}
	}
	return nil
}
