package kinds

import (
	"context"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// errNoKubelet returns the error about everything that only the kubelet of a node could do.
func errNoKubelet() error {
	return status.ServiceUnavailable("this API has no kubelets: nothing runs on its nodes")
}

// podStreams returns the subresources of Pods that carry bytes. They refuse every request, because nothing runs. The
// log of a Pod without a node is empty.
func podStreams() []rest.SubresourceOf[corev1.Pod] {
	return []rest.SubresourceOf[corev1.Pod]{
		rest.Stream[corev1.Pod, corev1.PodLogOptions]{Name: "log", Check: checkLog,
			Output: func(context.Context, *corev1.Pod, *corev1.PodLogOptions, io.Writer) error { return nil }},
		rest.Stream[corev1.Pod, corev1.PodExecOptions]{Name: "exec", Check: refuseStream[corev1.PodExecOptions],
			Session: func(context.Context, *corev1.Pod, *corev1.PodExecOptions, *rest.Session) error { return errNoKubelet() }},
		rest.Stream[corev1.Pod, corev1.PodAttachOptions]{Name: "attach", Check: refuseStream[corev1.PodAttachOptions],
			Session: func(context.Context, *corev1.Pod, *corev1.PodAttachOptions, *rest.Session) error {
				return errNoKubelet()
			}},
		rest.Stream[corev1.Pod, corev1.PodPortForwardOptions]{Name: "portforward",
			Check: refuseStream[corev1.PodPortForwardOptions],
			Forward: func(context.Context, *corev1.Pod, *corev1.PodPortForwardOptions, uint16, io.ReadWriter) error {
				return errNoKubelet()
			}},
		noProxy[corev1.Pod, corev1.PodProxyOptions](),
	}
}

// checkLog refuses to show the log of a container that does not exist, or that would run on a node.
func checkLog(ctx context.Context, pod *corev1.Pod, o *corev1.PodLogOptions) error {
	var names []string
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	if o.Container == "" && len(names) > 1 {
		return status.BadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %v", pod.Name,
			names))
	}
	if o.Container != "" && !hasContainer(&pod.Spec, o.Container) {
		return status.BadRequest(fmt.Sprintf("container %s is not valid for pod %s", o.Container, pod.Name))
	}
	if pod.Spec.NodeName == "" {
		return nil
	}
	return refuseStream(ctx, pod, o)
}

func hasContainer(spec *corev1.PodSpec, name string) bool {
	for _, c := range spec.Containers {
		if c.Name == name {
			return true
		}
	}
	for _, c := range spec.InitContainers {
		if c.Name == name {
			return true
		}
	}
	for _, c := range spec.EphemeralContainers {
		if c.Name == name {
			return true
		}
	}
	return false
}

// refuseStream refuses a stream to a Pod, which has no node, has one that does not exist, or has one without a kubelet.
func refuseStream[O any](ctx context.Context, pod *corev1.Pod, _ *O) error {
	if pod.Spec.NodeName == "" {
		return status.BadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	}
	nodes, err := rest.ClientForHook[corev1.Node](ctx)
	if err != nil {
		return err
	}
	if _, err := nodes.Get(ctx, pod.Spec.NodeName); err != nil {
		return err
	}
	return errNoKubelet()
}

// noProxy returns the subresource proxy of a kind behind whose objects nothing listens.
func noProxy[T, O any]() rest.SubresourceOf[T] {
	return rest.Stream[T, O]{Name: "proxy",
		Check: func(context.Context, *T, *O) error { return errNoKubelet() },
		Serve: func(w http.ResponseWriter, _ *http.Request, _ *T, _ *O) {
			http.Error(w, errNoKubelet().Error(), http.StatusServiceUnavailable)
		}}
}
