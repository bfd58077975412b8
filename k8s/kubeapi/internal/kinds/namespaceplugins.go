package kinds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/rest"
)

// annotationOf returns an annotation of a namespace.
func annotationOf(ctx context.Context, namespace, annotation string) (text string, found bool, err error) {
	namespaces, err := rest.ClientForHook[corev1.Namespace](ctx)
	if err != nil {
		return "", false, err
	}
	n, err := namespaces.Get(ctx, namespace)
	if err != nil {
		return "", false, err
	}
	text, found = n.Annotations[annotation]
	return text, found, nil
}

// nodeSelectors is the configuration of the plugin PodNodeSelector. Its keys are namespaces, whose Pods may select no
// other labels, and clusterDefault.
type nodeSelectors map[string]string

// clusterDefault is the key of the selector for namespaces without an annotation.
const clusterDefault = "clusterDefaultNodeSelector"

// nodeSelectorsIn reads a configuration, which has no apiVersion and no kind.
func nodeSelectorsIn(text []byte) (nodeSelectors, error) {
	var config struct {
		Selectors nodeSelectors `json:"podNodeSelectorPluginConfig"`
	}
	err := yaml.Unmarshal(text, &config)
	return config.Selectors, err
}

// apply lets a new Pod run only on the nodes that its namespace selects.
func (s nodeSelectors) apply(ctx context.Context, pod *corev1.Pod) error {
	if !isNew(pod) {
		return nil
	}
	text, found, err := annotationOf(ctx, pod.Namespace, "scheduler.alpha.kubernetes.io/node-selector")
	if err != nil {
		return err
	}
	if !found {
		text = s[clusterDefault]
	}
	selector, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		return unexpected(err)
	}
	if labels.Conflicts(selector, pod.Spec.NodeSelector) {
		return errors.New("pod node label selector conflicts with its namespace node label selector")
	}
	pod.Spec.NodeSelector = merged(pod.Spec.NodeSelector, selector)
	allowed, err := labels.ConvertSelectorToLabelsMap(s[pod.Namespace])
	if err != nil {
		return unexpected(err)
	}
	for key, value := range pod.Spec.NodeSelector {
		if has, listed := allowed[key]; len(allowed) > 0 && (!listed || has != value) {
			return errors.New("pod node label selector labels conflict with its namespace whitelist")
		}
	}
	return nil
}

// clusterTolerations is the configuration of the plugin PodTolerationRestriction, for namespaces without annotations.
type clusterTolerations struct {
	Default   []corev1.Toleration `json:"default"`
	Whitelist []corev1.Toleration `json:"whitelist"`
}

func tolerationsIn(text []byte) (c clusterTolerations, err error) {
	if text == nil {
		return c, nil
	}
	err = pluginconfig.Decode(text, pluginconfig.Lenient, &c, schema.GroupVersionKind{
		Group: "podtolerationrestriction.admission.k8s.io", Version: "v1alpha1", Kind: "Configuration"})
	if err != nil {
		return c, err
	}
	p := field.NewPath("podtolerationrestriction")
	errs := append(validation.Tolerations(p.Child("default"), c.Default),
		validation.Tolerations(p.Child("whitelist"), c.Whitelist)...)
	if len(errs) > 0 {
		err = fmt.Errorf("invalid config: %w", errs.ToAggregate())
	}
	return c, err
}

// apply gives a new Pod the tolerations of its namespace, and any Pod that requests resources one of memory pressure.
// It refuses tolerations that the namespace does not list.
func (c clusterTolerations) apply(ctx context.Context, pod *corev1.Pod) error {
	if bindingOf(ctx) != nil {
		return nil
	}
	var more []corev1.Toleration
	if isNew(pod) {
		own, found, err := tolerationsOf(ctx, pod.Namespace, "defaultTolerations")
		if err != nil {
			return err
		}
		if more = own; !found {
			more = slices.Clone(c.Default)
		}
	}
	if qosClassOf(&pod.Spec) != corev1.PodQOSBestEffort {
		more = append(more, corev1.Toleration{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoSchedule})
	}
	if len(more) > 0 {
		pod.Spec.Tolerations = withTolerations(pod.Spec.Tolerations, more)
	}
	allowed, found, err := tolerationsOf(ctx, pod.Namespace, "tolerationsWhitelist")
	if err != nil {
		return err
	}
	of := "namespace"
	if !found {
		allowed, of = c.Whitelist, "cluster"
	}
	for _, t := range pod.Spec.Tolerations {
		included := func(a corev1.Toleration) bool { return includes(a, t) }
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, included) {
			return unexpected(fmt.Errorf(
				"pod tolerations (possibly merged with namespace default tolerations) conflict with its %s whitelist", of))
		}
	}
	return nil
}

// tolerationsOf returns the tolerations in an annotation of a namespace, and whether it has the annotation.
func tolerationsOf(ctx context.Context, namespace, name string) (list []corev1.Toleration, found bool, err error) {
	text, found, err := annotationOf(ctx, namespace, "scheduler.alpha.kubernetes.io/"+name)
	if err != nil || text == "" {
		return nil, found, err
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, found, unexpected(err)
	}
	return list, found, nil
}
