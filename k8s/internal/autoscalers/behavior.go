package autoscalers

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

// behavior is the behavior of an autoscaler as Kubernetes writes it into its annotation: the names of members begin
// with a capital letter.
type behavior struct{ ScaleUp, ScaleDown *rules }

type rules struct {
	StabilizationWindowSeconds *int32
	SelectPolicy               *autoscalingv2.ScalingPolicySelect
	Policies                   []scaling
	Tolerance                  *resource.Quantity
}

type scaling struct {
	Type                 autoscalingv2.HPAScalingPolicyType
	Value, PeriodSeconds int32
}

func behaviorFromV2(b *autoscalingv2.HorizontalPodAutoscalerBehavior) behavior {
	return behavior{convertSet(b.ScaleUp, rulesFromV2), convertSet(b.ScaleDown, rulesFromV2)}
}

func rulesFromV2(r *autoscalingv2.HPAScalingRules) rules {
	return rules{r.StabilizationWindowSeconds, r.SelectPolicy,
		convertAll(r.Policies, func(p *autoscalingv2.HPAScalingPolicy) scaling { return scaling(*p) }), r.Tolerance}
}
