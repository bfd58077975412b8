package autoscalers

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func metricToV2(m *autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(m.Type),
		Object: convertSet(m.Object, func(s *autoscalingv1.ObjectMetricSource) autoscalingv2.ObjectMetricSource {
			target := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &s.TargetValue}
			if s.AverageValue != nil {
				target = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: s.AverageValue}
				if !s.TargetValue.IsZero() { // v1 cannot leave it out
					target.Value = &s.TargetValue
				}
			}
			return autoscalingv2.ObjectMetricSource{DescribedObject: autoscalingv2.CrossVersionObjectReference(s.Target),
				Target: target, Metric: named(s.MetricName, s.Selector)}
		}),
		Pods: convertSet(m.Pods, func(s *autoscalingv1.PodsMetricSource) autoscalingv2.PodsMetricSource {
			return autoscalingv2.PodsMetricSource{Metric: named(s.MetricName, s.Selector),
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &s.TargetAverageValue}}
		}),
		Resource: convertSet(m.Resource, func(s *autoscalingv1.ResourceMetricSource) autoscalingv2.ResourceMetricSource {
			return autoscalingv2.ResourceMetricSource{Name: s.Name,
				Target: share(s.TargetAverageUtilization, s.TargetAverageValue)}
		}),
		ContainerResource: convertSet(m.ContainerResource,
			func(s *autoscalingv1.ContainerResourceMetricSource) autoscalingv2.ContainerResourceMetricSource {
				return autoscalingv2.ContainerResourceMetricSource{Name: s.Name, Container: s.Container,
					Target: share(s.TargetAverageUtilization, s.TargetAverageValue)}
			}),
		External: convertSet(m.External, func(s *autoscalingv1.ExternalMetricSource) autoscalingv2.ExternalMetricSource {
			target := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: s.TargetValue,
				AverageValue: s.TargetAverageValue}
			if s.TargetValue == nil {
				target.Type = autoscalingv2.AverageValueMetricType
			}
			return autoscalingv2.ExternalMetricSource{Metric: named(s.MetricName, s.MetricSelector), Target: target}
		}),
	}
}

func metricFromV2(m *autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	return autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(m.Type),
		Object: convertSet(m.Object, func(s *autoscalingv2.ObjectMetricSource) autoscalingv1.ObjectMetricSource {
			return autoscalingv1.ObjectMetricSource{Target: autoscalingv1.CrossVersionObjectReference(s.DescribedObject),
				MetricName: s.Metric.Name, Selector: s.Metric.Selector, TargetValue: amount(s.Target.Value),
				AverageValue: s.Target.AverageValue}
		}),
		Pods: convertSet(m.Pods, func(s *autoscalingv2.PodsMetricSource) autoscalingv1.PodsMetricSource {
			return autoscalingv1.PodsMetricSource{MetricName: s.Metric.Name, Selector: s.Metric.Selector,
				TargetAverageValue: amount(s.Target.AverageValue)}
		}),
		Resource: convertSet(m.Resource, func(s *autoscalingv2.ResourceMetricSource) autoscalingv1.ResourceMetricSource {
			return autoscalingv1.ResourceMetricSource{Name: s.Name, TargetAverageUtilization: s.Target.AverageUtilization,
				TargetAverageValue: s.Target.AverageValue}
		}),
		ContainerResource: convertSet(m.ContainerResource,
			func(s *autoscalingv2.ContainerResourceMetricSource) autoscalingv1.ContainerResourceMetricSource {
				return autoscalingv1.ContainerResourceMetricSource{Name: s.Name, Container: s.Container,
					TargetAverageUtilization: s.Target.AverageUtilization, TargetAverageValue: s.Target.AverageValue}
			}),
		External: convertSet(m.External, func(s *autoscalingv2.ExternalMetricSource) autoscalingv1.ExternalMetricSource {
			return autoscalingv1.ExternalMetricSource{MetricName: s.Metric.Name, MetricSelector: s.Metric.Selector,
				TargetValue: s.Target.Value, TargetAverageValue: s.Target.AverageValue}
		}),
	}
}

// share returns the target of a resource: a share of what the Pods request, or an amount.
func share(utilization *int32, amount *resource.Quantity) autoscalingv2.MetricTarget {
	target := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: utilization,
		AverageValue: amount}
	if utilization == nil {
		target.Type = autoscalingv2.AverageValueMetricType
	}
	return target
}

func named(name string, selector *metav1.LabelSelector) autoscalingv2.MetricIdentifier {
	return autoscalingv2.MetricIdentifier{Name: name, Selector: selector}
}

// amount returns an amount. In v1, a missing amount is zero.
func amount(q *resource.Quantity) resource.Quantity {
	if q == nil {
		return resource.Quantity{}
	}
	return *q
}
