package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/decorum-go/decorum/rest"
)

func apps() []rest.Definition {
	return []rest.Definition{of[appsv1.ControllerRevision](), daemonSets(), of[appsv1.Deployment](),
		of[appsv1.ReplicaSet](), of[appsv1.StatefulSet]()}
}

func batch() []rest.Definition {
	return []rest.Definition{of[batchv1.CronJob](), jobs()}
}

func policy() []rest.Definition {
	return []rest.Definition{of[policyv1.PodDisruptionBudget]()}
}
