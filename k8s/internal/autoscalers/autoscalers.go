// Package autoscalers converts HorizontalPodAutoscalers between autoscaling/v2, in which they are stored, and
// autoscaling/v1, as Kubernetes does. Version v1 has fields for one metric, the utilization of the CPU. The rest of a
// v2 object is in annotations, which v1 objects alone have.
package autoscalers

import (
	"encoding/json"
	"maps"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotations that hold what v1 has no fields for.
const (
	prefix               = "autoscaling.alpha.kubernetes.io/"
	metricsAnnotation    = prefix + "metrics"
	statusesAnnotation   = prefix + "current-metrics"
	conditionsAnnotation = prefix + "conditions"
	behaviorAnnotation   = prefix + "behavior"
	// Kubernetes removes these two from both versions, and reads neither.
	scaleDownAnnotation = prefix + "scale-down-tolerance"
	scaleUpAnnotation   = prefix + "scale-up-tolerance"
)

// WithoutFields returns annotations without those that hold fields of v2. It does not change its argument.
func WithoutFields(annotations map[string]string) map[string]string {
	left := maps.Clone(annotations)
	for _, key := range []string{metricsAnnotation, statusesAnnotation, conditionsAnnotation, behaviorAnnotation,
		scaleDownAnnotation, scaleUpAnnotation} {
		delete(left, key)
	}
	return left
}

// RestoreStatus gives a new form of an object the annotations of the old one that hold parts of the status, because a
// write of the object changes no status. old is nil for a new object.
func RestoreStatus(obj, old *autoscalingv1.HorizontalPodAutoscaler) {
	restore(obj, old, statusesAnnotation, conditionsAnnotation)
}

// RestoreSpec does the same for the annotations that hold parts of the spec, which a write of the status does not
// change.
func RestoreSpec(obj, old *autoscalingv1.HorizontalPodAutoscaler) {
	restore(obj, old, metricsAnnotation, behaviorAnnotation)
}

func restore(obj, old *autoscalingv1.HorizontalPodAutoscaler, annotations ...string) {
	var before map[string]string
	if old != nil {
		before = old.Annotations
	}
	for _, key := range annotations {
		if value, ok := before[key]; ok {
			metav1.SetMetaDataAnnotation(&obj.ObjectMeta, key, value)
		} else {
			delete(obj.Annotations, key)
		}
	}
}

// ToV2 fills in out, whose metadata is that of in. It ignores an annotation that it cannot read, as Kubernetes does.
// The metrics of an object without any stay empty; the default of v2 completes them.
func ToV2(in *autoscalingv1.HorizontalPodAutoscaler, out *autoscalingv2.HorizontalPodAutoscaler) {
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas, MaxReplicas: in.Spec.MaxReplicas,
		Metrics: convertAll(read[autoscalingv1.MetricSpec](in, metricsAnnotation), metricToV2),
	}
	if share := in.Spec.TargetCPUUtilizationPercentage; share != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, utilization(share))
	}
	var behavior autoscalingv2.HorizontalPodAutoscalerBehavior // encoding/json takes names in either case
	if json.Unmarshal([]byte(in.Annotations[behaviorAnnotation]), &behavior) == nil &&
		behavior != (autoscalingv2.HorizontalPodAutoscalerBehavior{}) {
		out.Spec.Behavior = &behavior
	}
	out.Status = statusToV2(&in.Status)
	if statuses := read[autoscalingv1.MetricStatus](in, statusesAnnotation); statuses != nil {
		out.Status.CurrentMetrics = convertAll(statuses, metricStatusToV2)
	}
	out.Status.Conditions = read[autoscalingv2.HorizontalPodAutoscalerCondition](in, conditionsAnnotation) // both versions have the same JSON
	out.Annotations = WithoutFields(in.Annotations)
}

// FromV2 fills in out, whose metadata is that of in. A second metric of the CPU's utilization has no place in v1 and is
// lost, as in Kubernetes.
func FromV2(in *autoscalingv2.HorizontalPodAutoscaler, out *autoscalingv1.HorizontalPodAutoscaler) error {
	out.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas, MaxReplicas: in.Spec.MaxReplicas,
	}
	var others []autoscalingv2.MetricSpec
	for _, m := range in.Spec.Metrics {
		switch {
		case !isUtilization(&m):
			others = append(others, m)
		case out.Spec.TargetCPUUtilizationPercentage == nil:
			out.Spec.TargetCPUUtilizationPercentage = m.Resource.Target.AverageUtilization
		}
	}
	out.Status = statusFromV2(&in.Status)
	annotations := WithoutFields(in.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	if b := in.Spec.Behavior; b != nil {
		if err := write(annotations, behaviorAnnotation, behaviorFromV2(b)); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		annotation string
		count      int
		value      any
	}{
		{metricsAnnotation, len(others), convertAll(others, metricFromV2)},
		{statusesAnnotation, len(in.Status.CurrentMetrics), convertAll(in.Status.CurrentMetrics, metricStatusFromV2)},
		{conditionsAnnotation, len(in.Status.Conditions), in.Status.Conditions},
	} {
		if part.count > 0 {
			if err := write(annotations, part.annotation, part.value); err != nil {
				return err
			}
		}
	}
	out.Annotations = annotations
	return nil
}

// isUtilization reports whether a metric is the one for which v1 has a field.
func isUtilization(m *autoscalingv2.MetricSpec) bool {
	return m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil &&
		m.Resource.Name == corev1.ResourceCPU && m.Resource.Target.AverageUtilization != nil
}

// utilization returns that metric.
func utilization(share *int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: share}}}
}

// read returns the list that an annotation holds, or nil.
func read[T any](from *autoscalingv1.HorizontalPodAutoscaler, annotation string) (list []T) {
	if json.Unmarshal([]byte(from.Annotations[annotation]), &list) != nil {
		return nil
	}
	return list
}

func write(annotations map[string]string, annotation string, value any) error {
	text, err := json.Marshal(value)
	annotations[annotation] = string(text)
	return err
}

func convertAll[A, B any](list []A, convert func(*A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}

// convertSet converts what an optional field points to.
func convertSet[A, B any](value *A, convert func(*A) B) *B {
	if value == nil {
		return nil
	}
	return new(convert(value))
}
