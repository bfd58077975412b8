package autoscalers

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// statusToV2 converts the fields of a status, without the annotations.
func statusToV2(s *autoscalingv1.HorizontalPodAutoscalerStatus) autoscalingv2.HorizontalPodAutoscalerStatus {
	out := autoscalingv2.HorizontalPodAutoscalerStatus{ObservedGeneration: s.ObservedGeneration,
		LastScaleTime: s.LastScaleTime, CurrentReplicas: s.CurrentReplicas, DesiredReplicas: s.DesiredReplicas}
	if share := s.CurrentCPUUtilizationPercentage; share != nil {
		out.CurrentMetrics = []autoscalingv2.MetricStatus{{Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{
				Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: share}}}}
	}
	return out
}

// statusFromV2 converts what v1 has fields for.
func statusFromV2(s *autoscalingv2.HorizontalPodAutoscalerStatus) autoscalingv1.HorizontalPodAutoscalerStatus {
	out := autoscalingv1.HorizontalPodAutoscalerStatus{ObservedGeneration: s.ObservedGeneration,
		LastScaleTime: s.LastScaleTime, CurrentReplicas: s.CurrentReplicas, DesiredReplicas: s.DesiredReplicas}
	for _, m := range s.CurrentMetrics {
		if m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == corev1.ResourceCPU &&
			m.Resource.Current.AverageUtilization != nil {
			out.CurrentCPUUtilizationPercentage = m.Resource.Current.AverageUtilization
		}
	}
	return out
}

func metricStatusToV2(m *autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	return autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(m.Type),
		Object: convertSet(m.Object, func(s *autoscalingv1.ObjectMetricStatus) autoscalingv2.ObjectMetricStatus {
			return autoscalingv2.ObjectMetricStatus{DescribedObject: autoscalingv2.CrossVersionObjectReference(s.Target),
				Metric:  named(s.MetricName, s.Selector),
				Current: autoscalingv2.MetricValueStatus{Value: &s.CurrentValue, AverageValue: s.AverageValue}}
		}),
		Pods: convertSet(m.Pods, func(s *autoscalingv1.PodsMetricStatus) autoscalingv2.PodsMetricStatus {
			return autoscalingv2.PodsMetricStatus{Metric: named(s.MetricName, s.Selector),
				Current: autoscalingv2.MetricValueStatus{AverageValue: &s.CurrentAverageValue}}
		}),
		Resource: convertSet(m.Resource, func(s *autoscalingv1.ResourceMetricStatus) autoscalingv2.ResourceMetricStatus {
			return autoscalingv2.ResourceMetricStatus{Name: s.Name,
				Current: autoscalingv2.MetricValueStatus{AverageValue: &s.CurrentAverageValue,
					AverageUtilization: s.CurrentAverageUtilization}}
		}),
		ContainerResource: convertSet(m.ContainerResource,
			func(s *autoscalingv1.ContainerResourceMetricStatus) autoscalingv2.ContainerResourceMetricStatus {
				return autoscalingv2.ContainerResourceMetricStatus{Name: s.Name, Container: s.Container,
					Current: autoscalingv2.MetricValueStatus{AverageValue: &s.CurrentAverageValue,
						AverageUtilization: s.CurrentAverageUtilization}}
			}),
		External: convertSet(m.External, func(s *autoscalingv1.ExternalMetricStatus) autoscalingv2.ExternalMetricStatus {
			return autoscalingv2.ExternalMetricStatus{Metric: named(s.MetricName, s.MetricSelector),
				Current: autoscalingv2.MetricValueStatus{Value: &s.CurrentValue, AverageValue: s.CurrentAverageValue}}
		}),
	}
}

func metricStatusFromV2(m *autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	return autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(m.Type),
		Object: convertSet(m.Object, func(s *autoscalingv2.ObjectMetricStatus) autoscalingv1.ObjectMetricStatus {
			return autoscalingv1.ObjectMetricStatus{Target: autoscalingv1.CrossVersionObjectReference(s.DescribedObject),
				MetricName: s.Metric.Name, Selector: s.Metric.Selector, CurrentValue: amount(s.Current.Value),
				AverageValue: s.Current.AverageValue}
		}),
		Pods: convertSet(m.Pods, func(s *autoscalingv2.PodsMetricStatus) autoscalingv1.PodsMetricStatus {
			return autoscalingv1.PodsMetricStatus{MetricName: s.Metric.Name, Selector: s.Metric.Selector,
				CurrentAverageValue: amount(s.Current.AverageValue)}
		}),
		Resource: convertSet(m.Resource, func(s *autoscalingv2.ResourceMetricStatus) autoscalingv1.ResourceMetricStatus {
			return autoscalingv1.ResourceMetricStatus{Name: s.Name, CurrentAverageUtilization: s.Current.AverageUtilization,
				CurrentAverageValue: amount(s.Current.AverageValue)}
		}),
		ContainerResource: convertSet(m.ContainerResource,
			func(s *autoscalingv2.ContainerResourceMetricStatus) autoscalingv1.ContainerResourceMetricStatus {
				return autoscalingv1.ContainerResourceMetricStatus{Name: s.Name, Container: s.Container,
					CurrentAverageUtilization: s.Current.AverageUtilization, CurrentAverageValue: amount(s.Current.AverageValue)}
			}),
		External: convertSet(m.External, func(s *autoscalingv2.ExternalMetricStatus) autoscalingv1.ExternalMetricStatus {
			return autoscalingv1.ExternalMetricStatus{MetricName: s.Metric.Name, MetricSelector: s.Metric.Selector,
				CurrentValue: amount(s.Current.Value), CurrentAverageValue: s.Current.AverageValue}
		}),
	}
}
