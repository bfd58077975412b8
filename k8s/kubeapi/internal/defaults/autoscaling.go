package defaults

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// usualUtilization is the share of the requested CPU, in percent, that an autoscaler without a metric aims at.
const usualUtilization = 80

// autoscaling returns the defaults of HorizontalPodAutoscaler in version v2, which stores the objects of v1 too.
func autoscaling() []rule {
	return []rule{
		fixed[autoscalingv2.HorizontalPodAutoscaler](values{"spec.minReplicas": 1}),

		when(metrics),
		when(behavior),
	}
}

func metrics(obj *autoscalingv2.HorizontalPodAutoscalerSpec) {
	if len(obj.Metrics) > 0 {
		return
	}
	obj.Metrics = []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType,
				AverageUtilization: ptr.To[int32](usualUtilization)}},
	}}
}

// behavior completes the rules for both directions if a client sets any. In 15 seconds, an autoscaler may double the
// Pods or add four, and may remove all that are too many.
func behavior(obj *autoscalingv2.HorizontalPodAutoscalerBehavior) {
	const seconds = 15
	double := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: seconds}
	four := autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: seconds}
	obj.ScaleUp, obj.ScaleDown = orNew(obj.ScaleUp), orNew(obj.ScaleDown)
	obj.ScaleUp.StabilizationWindowSeconds = or(obj.ScaleUp.StabilizationWindowSeconds, 0)
	for rules, policies := range map[*autoscalingv2.HPAScalingRules][]autoscalingv2.HPAScalingPolicy{obj.ScaleUp: {four,
		double}, obj.ScaleDown: {double}} {
		rules.SelectPolicy = or(rules.SelectPolicy, autoscalingv2.MaxChangePolicySelect)
		if rules.Policies == nil { // an empty list is a fault
			rules.Policies = policies
		}
	}
}
