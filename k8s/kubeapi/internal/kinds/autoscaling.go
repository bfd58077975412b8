package kinds

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/decorum-go/decorum/rest"
)

func autoscaling() []rest.Definition {
	return []rest.Definition{of[autoscalingv2.HorizontalPodAutoscaler]()}
}
