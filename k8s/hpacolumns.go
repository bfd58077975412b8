package k8s

import (
	"fmt"
	"strconv"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s/internal/autoscalers"
)

func horizontalPodAutoscalerColumns() []column {
	type autoscaler = autoscalingv2.HorizontalPodAutoscaler
	targets := text("Targets", documented[autoscalingv2.HorizontalPodAutoscalerSpec]("metrics"), func(a *autoscaler) any {
		return metricTargets(a.Spec.Metrics, a.Status.CurrentMetrics)
	})
	of := targets.cell
	targets.cell = func(obj any) any {
		old, ok := obj.(*autoscalingv1.HorizontalPodAutoscaler)
		if !ok {
			return of(obj)
		}
		var a autoscaler
		autoscalers.ToV2(old, &a)
		return of(&a)
	}
	return []column{
		text("Reference", documented[autoscalingv2.HorizontalPodAutoscalerSpec]("scaleTargetRef"), func(a *autoscaler) any {
			return a.Spec.ScaleTargetRef.Kind + "/" + a.Spec.ScaleTargetRef.Name
		}),
		targets,
		text("MinPods", documented[autoscalingv2.HorizontalPodAutoscalerSpec]("minReplicas"), func(a *autoscaler) any {
			if a.Spec.MinReplicas == nil {
				return unset
			}
			return strconv.Itoa(int(*a.Spec.MinReplicas))
		}),
		text("MaxPods", documented[autoscalingv2.HorizontalPodAutoscalerSpec]("maxReplicas"),
			func(a *autoscaler) any { return a.Spec.MaxReplicas }),
		text("Replicas", documented[autoscalingv2.HorizontalPodAutoscalerStatus]("currentReplicas"),
			func(a *autoscaler) any { return a.Status.CurrentReplicas }),
		age(),
	}
}

func percentage(p *int32, nothing string) string {
	if p == nil {
		return nothing
	}
	return fmt.Sprintf("%d%%", *p)
}

// metricTargets prints the current and the target value of the first two metrics. Statuses have the order of the specs.
func metricTargets(specs []autoscalingv2.MetricSpec, statuses []autoscalingv2.MetricStatus) string {
	if len(specs) == 0 {
		return none
	}
	var out []string
	for i, spec := range specs[:min(len(specs), 2)] {
		status := autoscalingv2.MetricStatus{}
		if i < len(statuses) {
			status = statuses[i]
		}
		out = append(out, metricTarget(spec, status))
	}
	shown := strings.Join(out, ", ")
	if more := len(specs) - len(out); more > 0 {
		return fmt.Sprintf("%s + %d more...", shown, more)
	}
	return shown
}

func metricTarget(spec autoscalingv2.MetricSpec, status autoscalingv2.MetricStatus) string {
	switch {
	case spec.Type == autoscalingv2.ExternalMetricSourceType && spec.External != nil:
		var current *autoscalingv2.MetricValueStatus
		if status.External != nil {
			current = &status.External.Current
		}
		return valueOrAverage(spec.External.Target, current)
	case spec.Type == autoscalingv2.ObjectMetricSourceType && spec.Object != nil:
		var current *autoscalingv2.MetricValueStatus
		if status.Object != nil {
			current = &status.Object.Current
		}
		return valueOrAverage(spec.Object.Target, current)
	case spec.Type == autoscalingv2.PodsMetricSourceType && spec.Pods != nil:
		current := unknown
		if status.Pods != nil {
			current = status.Pods.Current.AverageValue.String()
		}
		return current + "/" + spec.Pods.Target.AverageValue.String()
	case spec.Type == autoscalingv2.ResourceMetricSourceType && spec.Resource != nil:
		var current *autoscalingv2.MetricValueStatus
		if status.Resource != nil {
			current = &status.Resource.Current
		}
		return utilization(spec.Resource.Name, spec.Resource.Target, current)
	case spec.Type == autoscalingv2.ContainerResourceMetricSourceType && spec.ContainerResource != nil:
		var current *autoscalingv2.MetricValueStatus
		if status.ContainerResource != nil {
			current = &status.ContainerResource.Current
		}
		return utilization(spec.ContainerResource.Name, spec.ContainerResource.Target, current)
	}
	return "<unknown type>"
}

// valueOrAverage prints a target: an average, or otherwise a value.
func valueOrAverage(target autoscalingv2.MetricTarget, current *autoscalingv2.MetricValueStatus) string {
	is := unknown
	if target.AverageValue != nil {
		if current != nil && current.AverageValue != nil {
			is = current.AverageValue.String()
		}
		return fmt.Sprintf("%s/%s (avg)", is, target.AverageValue.String())
	}
	if current != nil {
		is = current.Value.String()
	}
	return is + "/" + target.Value.String()
}

// utilization prints a target of a resource: an average, or otherwise a share of the request.
func utilization(of corev1.ResourceName, target autoscalingv2.MetricTarget,
	current *autoscalingv2.MetricValueStatus) string {
	if target.AverageValue != nil {
		is := unknown
		if current != nil {
			is = current.AverageValue.String()
		}
		return fmt.Sprintf("%s: %s/%s", of, is, target.AverageValue.String())
	}
	is := unknown
	if current != nil {
		is = percentage(current.AverageUtilization, unknown)
	}
	return fmt.Sprintf("%s: %s/%s", of, is, percentage(target.AverageUtilization, "<auto>"))
}
