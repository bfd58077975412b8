package oracle

import (
	"context"
	"slices"

	apioperation "k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
	"k8s.io/kubernetes/pkg/features"
)

// theirs returns the faults that Kubernetes finds in an object of its internal version. Its validation functions find
// them, and the rules that its types declare replace some of them.
func (e example) theirs(o operation, obj runtime.Object) field.ErrorList {
	old, verb := e.oldInternal, apioperation.Update
	if o.name == "creation" {
		old, verb = nil, apioperation.Create
	}
	info := &genericapirequest.RequestInfo{APIGroup: e.gvk.Group, APIVersion: e.gvk.Version}
	if o.status {
		info.Subresource = "status"
	}
	ctx := genericapirequest.WithRequestInfo(context.Background(), info)
	options := map[string]bool{}
	for _, f := range []featuregate.Feature{features.HPAScaleToZero, features.WorkloadWithJob,
		features.DRAPartitionableDevicesType, features.InPlacePodVerticalScalingSchedulerPreemption} {
		options[string(f)] = utilfeature.DefaultFeatureGate.Enabled(f)
	}
	if hpa, ok := old.(*autoscaling.HorizontalPodAutoscaler); ok {
		if n := hpa.Spec.MinReplicas; n != nil && *n == 0 {
			options[string(features.HPAScaleToZero)] = true
		}
	}
	rules := slices.Concat(resourcevalidation.ResourceNormalizationRules, nodevalidation.NodeNormalizationRules)
	return rest.ValidateDeclarativelyWithMigrationChecks(ctx, legacyscheme.Scheme, obj, old, o.theirs(obj, e.oldInternal),
		verb, rest.DeclarativeValidationConfig{NormalizationRules: rules, Options: options})
}
