package kinds

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/k8s/internal/autoscalers"
	"github.com/decorum-go/decorum/rest"
)

// autoscaling returns the kind HorizontalPodAutoscaler. It is stored as autoscaling/v2, and v1 is converted. The
// defaults and the validation of v2 hold for objects of v1 as well.
func autoscaling() []rest.Definition {
	r := preparing(of[autoscalingv2.HorizontalPodAutoscaler](),
		func(_ context.Context, a, _ *autoscalingv2.HorizontalPodAutoscaler) error {
			a.Annotations = autoscalers.WithoutFields(a.Annotations)
			return nil
		})
	r.Versions = []rest.VersionOf[autoscalingv2.HorizontalPodAutoscaler]{rest.Converted(autoscalingInV1(),
		func(in *autoscalingv1.HorizontalPodAutoscaler, out *autoscalingv2.HorizontalPodAutoscaler) error {
			autoscalers.ToV2(in, out)
			return nil
		}, autoscalers.FromV2)}
	return []rest.Definition{r}
}

// autoscalingInV1 returns what version v1 declares for itself. Its annotations hold parts of the spec and of the
// status, so a write of one keeps the annotations of the other.
func autoscalingInV1() rest.Resource[autoscalingv1.HorizontalPodAutoscaler] {
	known := k8s.Resource[autoscalingv1.HorizontalPodAutoscaler]()
	r := rest.Resource[autoscalingv1.HorizontalPodAutoscaler]{Version: known.Version, Columns: known.Columns,
		Overlay: known.Overlay}
	r.Hooks.Default = func(ctx context.Context, a *autoscalingv1.HorizontalPodAutoscaler) error {
		if part(ctx) != "status" { // which may lack the annotations of the spec
			defaultAutoscalerOfV1(a)
		}
		return nil
	}
	return preparing(r,
		func(ctx context.Context, a, old *autoscalingv1.HorizontalPodAutoscaler) error {
			if part(ctx) == "status" {
				autoscalers.RestoreSpec(a, old)
			} else {
				autoscalers.RestoreStatus(a, old)
			}
			return nil
		})
}

// defaultAutoscalerOfV1 sets the defaults of the stored version. Otherwise these defaults would count as a change and
// increase the generation.
func defaultAutoscalerOfV1(a *autoscalingv1.HorizontalPodAutoscaler) {
	if a.Spec.MinReplicas == nil {
		a.Spec.MinReplicas = new(int32(1))
	}
	var inV2 autoscalingv2.HorizontalPodAutoscaler
	if autoscalers.ToV2(a, &inV2); len(inV2.Spec.Metrics) == 0 {
		a.Spec.TargetCPUUtilizationPercentage = new(int32(80))
	}
}
