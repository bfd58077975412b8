package oracle

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/coordination"
	coordinationvalidation "k8s.io/kubernetes/pkg/apis/coordination/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/discovery"
	discoveryvalidation "k8s.io/kubernetes/pkg/apis/discovery/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/roundstest"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
)

// refusals returns what Kubernetes finds wrong with a new object of its internal version.
func refusals(obj runtime.Object) field.ErrorList {
	pods := func(spec *core.PodSpec) corevalidation.PodValidationOptions {
		return podapi.GetValidationOptionsFromPodSpecAndMeta(spec, nil, nil, nil)
	}
	switch obj := obj.(type) {
	case *core.Pod:
		options := pods(&obj.Spec)
		options.ResourceIsPod = true
		return corevalidation.ValidatePodCreate(obj, options)
	case *core.PodTemplate:
		return corevalidation.ValidatePodTemplate(obj, pods(&obj.Template.Spec))
	case *core.ReplicationController:
		if obj.Spec.Template == nil {
			return corevalidation.ValidateReplicationController(obj, corevalidation.PodValidationOptions{})
		}
		return corevalidation.ValidateReplicationController(obj, pods(&obj.Spec.Template.Spec))
	case *core.Service:
		return corevalidation.ValidateServiceCreate(obj)
	case *core.ConfigMap:
		return corevalidation.ValidateConfigMap(obj)
	case *core.Secret:
		return corevalidation.ValidateSecret(obj)
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(obj, corevalidation.ValidationOptionsForPersistentVolumeClaimCreate())
	case *core.PersistentVolume:
		return corevalidation.ValidatePersistentVolume(obj, corevalidation.ValidationOptionsForPersistentVolume(obj, nil))
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(obj, pods(&obj.Spec.Template.Spec))
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSet(obj, pods(&obj.Spec.Template.Spec))
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSet(obj, pods(&obj.Spec.Template.Spec))
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(obj, pods(&obj.Spec.Template.Spec))
	case *apps.ControllerRevision:
		return appsvalidation.ValidateControllerRevisionCreate(obj)
	case *batch.Job:
		return batchvalidation.ValidateJob(obj, batchvalidation.JobValidationOptions{PodValidationOptions: pods(&obj.Spec.Template.Spec)})
	case *batch.CronJob:
		return batchvalidation.ValidateCronJobCreate(obj, pods(&obj.Spec.JobTemplate.Spec.Template.Spec))
	case *coordination.Lease:
		return coordinationvalidation.ValidateLease(obj)
	case *discovery.EndpointSlice:
		return discoveryvalidation.ValidateEndpointSliceCreate(obj)
	case *policy.PodDisruptionBudget:
		return policyvalidation.ValidatePodDisruptionBudget(obj, policyvalidation.PodDisruptionBudgetValidationOptions{})
	case *autoscaling.HorizontalPodAutoscaler:
		return autoscalingvalidation.ValidateHorizontalPodAutoscaler(obj, autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{MinReplicasLowerBound: 1})
	case *networking.Ingress:
		return networkingvalidation.ValidateIngressCreate(obj)
	case *networking.NetworkPolicy:
		return networkingvalidation.ValidateNetworkPolicy(obj, networkingvalidation.NetworkPolicyValidationOptions{})
	case *scheduling.PriorityClass:
		return schedulingvalidation.ValidatePriorityClass(obj)
	case *storage.StorageClass:
		return storagevalidation.ValidateStorageClass(obj)
	}
	panic(fmt.Sprintf("no validation for %T", obj))
}

// verdict holds the messages of both sides about an object. Faults of the metadata are left out: the core finds them.
type verdict struct{ theirs, ours []string }

// judge returns false for an object that cannot be decoded.
func (s subject) judge(t *testing.T, doc any) (v verdict, ok bool) {
	t.Helper()
	text := encode(t, doc)
	obj := s.new()
	if err := yaml.Unmarshal(text, obj); err != nil {
		return v, false
	}
	s.set(obj)
	s.canonicalize(obj)
	for _, e := range validation.Check(obj) {
		v.ours = append(v.ours, message(string(e.Type), e.Field, e.BadValue, e.Detail))
	}
	legacyscheme.Scheme.Default(obj)
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: s.gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return v, false
	}
	for _, e := range refusals(internal) {
		if !strings.HasPrefix(e.Field, "metadata") {
			v.theirs = append(v.theirs, message(string(e.Type), e.Field, e.BadValue, e.Detail))
		}
	}
	v.ours = slices.DeleteFunc(v.ours, func(message string) bool { return strings.HasPrefix(message, "metadata") })
	return v, true
}

// message shows a fault without the value if that is a struct: Kubernetes shows the names of its internal Go fields.
func message(kind, path string, value any, detail string) string {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct || v.Kind() == reflect.Slice {
		return fmt.Sprintf("%s: %s: %s", path, kind, detail)
	}
	return fmt.Sprintf("%s: %s: %v: %s", path, kind, v, detail)
}

// example is a valid object.
type example struct {
	subject
	doc map[string]any
}

func examples(t *testing.T) []example {
	t.Helper()
	text, err := os.ReadFile("testdata/valid.yaml")
	require.NoError(t, err)
	var all []example
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		gvk := schema.FromAPIVersionAndKind(doc["apiVersion"].(string), doc["kind"].(string))
		i := slices.IndexFunc(subjects(), func(s subject) bool { return s.gvk == gvk })
		require.GreaterOrEqual(t, i, 0, gvk)
		all = append(all, example{subjects()[i], doc})
	}
	return all
}

// TestValidation changes examples in one place at a time. What we find wrong, Kubernetes must find wrong in the same words. It writes the
// share of Kubernetes' refusals that we give into the README of the module.
func TestValidation(t *testing.T) {
	refused, found := map[string]int{}, map[string]int{}
	for _, e := range examples(t) {
		kind := e.gvk.Kind
		v, ok := e.judge(t, e.doc)
		require.True(t, ok, kind)
		require.Empty(t, v.theirs, "Kubernetes refuses the example of %s", kind)
		require.Empty(t, v.ours, "we refuse the example of %s", kind)
		for _, change := range changes(e.doc) {
			v, ok := e.judge(t, change.doc)
			if !ok {
				continue
			}
			extra := slices.DeleteFunc(slices.Clone(v.ours), func(m string) bool { return slices.Contains(v.theirs, m) })
			assert.Empty(t, extra, "%s: only we refuse %s; Kubernetes: %q", kind, change.what, v.theirs)
			if len(v.theirs) > 0 {
				refused[kind]++
				if len(v.ours) > 0 {
					found[kind]++
				} else if testing.Verbose() {
					t.Logf("%s: not refused: %s: %q", kind, change.what, v.theirs)
				}
			}
		}
	}
	var table strings.Builder
	table.WriteString("| kind | objects that Kubernetes refuses | refused here |\n| --- | --- | --- |\n")
	for _, kind := range slices.Sorted(maps.Keys(refused)) {
		fmt.Fprintf(&table, "| %s | %d | %d %% |\n", kind, refused[kind], 100*found[kind]/refused[kind])
	}
	checkTable(t, table.String())
}

var update = flag.Bool("update", false, "write the table of validation into the README of kubeapi")

// checkTable checks that the README of the module shows the table.
func checkTable(t *testing.T, table string) {
	t.Helper()
	const (
		page  = "../../README.md"
		begin = "<!-- validation: go -C k8s/kubeapi/internal/oracle test . -run TestValidation -update -->\n"
		end   = "<!-- end of validation -->\n"
	)
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), begin)
	require.True(t, found, "the README has no place for the table")
	written, after, found := strings.Cut(rest, end)
	require.True(t, found, "the README does not say where the table ends")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table+end+after), 0o644))
		return
	}
	assert.Equal(t, table, written, "run go -C k8s/kubeapi/internal/oracle test . -run TestValidation -update")
}

// TestValidationOfTwoFaults changes examples in two random places.
func TestValidationOfTwoFaults(t *testing.T) {
	all := examples(t)
	roundstest.Run(t, 1000, func(t *testing.T, seed int64) {
		r := newFiller(seed)
		e := pick(r, all...)
		two := changes(pick(r, changes(e.doc)...).doc)
		if len(two) == 0 {
			return
		}
		doc := pick(r, two...).doc
		v, ok := e.judge(t, doc)
		if !ok {
			return
		}
		extra := slices.DeleteFunc(slices.Clone(v.ours), func(m string) bool { return slices.Contains(v.theirs, m) })
		assert.Empty(t, extra, "%s: only we refuse %s; Kubernetes: %q", e.gvk.Kind, encode(t, doc), v.theirs)
	})
}
