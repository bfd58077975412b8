package kinds

import (
	"context"
	"reflect"
	"slices"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// off holds the fields of features that kube-apiserver disables by default. k8s.io/api declares them, but a write drops
// them, so clients see that they have no effect.
var off = map[reflect.Type][]string{
	reflect.TypeFor[batchv1.JobSpec]():                          {"Scheduling"},
	reflect.TypeFor[coordinationv1.LeaseSpec]():                 {"Strategy", "PreferredHolder"},
	reflect.TypeFor[corev1.PodSpec]():                           {"SchedulingGroup", "EvictionResponders"},
	reflect.TypeFor[corev1.PodStatus]():                         {"NodeAllocatableResourceClaimStatuses", "VolumeHealth"},
	reflect.TypeFor[corev1.VolumeStatus]():                      {"Image"},
	reflect.TypeFor[corev1.Lifecycle]():                         {"StopSignal"},
	reflect.TypeFor[corev1.HTTPGetAction]():                     {"Protocol"},
	reflect.TypeFor[corev1.GRPCAction]():                        {"Mode"},
	reflect.TypeFor[corev1.VolumeMount]():                       {"BindMountOptions"},
	reflect.TypeFor[corev1.EmptyDirVolumeSource]():              {"Mode"},
	reflect.TypeFor[corev1.SecretVolumeSource]():                {"DefaultUser"},
	reflect.TypeFor[corev1.ConfigMapVolumeSource]():             {"DefaultUser"},
	reflect.TypeFor[corev1.DownwardAPIVolumeSource]():           {"DefaultUser"},
	reflect.TypeFor[corev1.ProjectedVolumeSource]():             {"DefaultUser"},
	reflect.TypeFor[corev1.DownwardAPIVolumeFile]():             {"User"},
	reflect.TypeFor[corev1.KeyToPath]():                         {"User"},
	reflect.TypeFor[corev1.ServiceAccountTokenProjection]():     {"User"},
	reflect.TypeFor[corev1.ClusterTrustBundleProjection]():      {"User"},
	reflect.TypeFor[corev1.PodCertificateProjection]():          {"User"},
	reflect.TypeFor[corev1.NodeSpec]():                          {"PodPreemptionPolicy"},
	reflect.TypeFor[corev1.PersistentVolumeClaimStatus]():       {"HealthStatus"},
	reflect.TypeFor[resourcev1.ResourceSliceSpec]():             {"PartitionTypeAttribute", "SkipNodeOperations"},
	reflect.TypeFor[resourcev1.Device]():                        {"NodeAllocatableResources"},
	reflect.TypeFor[resourcev1.DeviceCounterConsumption]():      {"CompatibilityGroups"},
	reflect.TypeFor[resourcev1.ExactDeviceRequest]():            {"DerivedAttributes"},
	reflect.TypeFor[resourcev1.DeviceSubRequest]():              {"DerivedAttributes"},
	reflect.TypeFor[resourcev1.DeviceRequestAllocationResult](): {"SkipNodeOperations"},
	reflect.TypeFor[resourcev1.DeviceAttribute](): {"IntValues", "BoolValues", "StringValues",
		"VersionValues"},
	reflect.TypeFor[storagev1.CSINodeStatus](): {"StorageHealth"},
}

// withoutOff is a step of Prepare that drops the fields of disabled features. An object that already has such a field
// keeps all of them, because it may have been written while the feature was enabled.
func withoutOff[T any]() func(context.Context, *T, *T) error {
	way := wayToOff(reflect.TypeFor[T]())
	if way == nil {
		return nil
	}
	return func(_ context.Context, obj, old *T) error {
		now := reflect.ValueOf(obj).Elem()
		if way.visit(now, false) && (old == nil || !way.visit(reflect.ValueOf(old).Elem(), false)) {
			way.visit(now, true)
		}
		return nil
	}
}

// offWay is the path from the values of a type to the fields in off.
type offWay struct {
	own  []int           // the fields of off that the struct has
	next map[int]*offWay // the paths through its other fields
	each *offWay         // the path through the elements of a pointer, list or map
}

var offWays sync.Map // from reflect.Type to *offWay

// wayToOff returns the path of a type, or nil if its values have no field in off.
func wayToOff(t reflect.Type) *offWay {
	if known, ok := offWays.Load(t); ok {
		return known.(*offWay)
	}
	var w *offWay
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if each := wayToOff(t.Elem()); each != nil {
			w = &offWay{each: each}
		}
	case reflect.Struct:
		w = wayOfStruct(t)
	}
	offWays.Store(t, w)
	return w
}

func wayOfStruct(t reflect.Type) *offWay {
	w := &offWay{next: map[int]*offWay{}}
	for i := range t.NumField() {
		if f := t.Field(i); slices.Contains(off[t], f.Name) {
			w.own = append(w.own, i)
		} else if next := wayToOff(f.Type); next != nil {
			w.next[i] = next
		}
	}
	if len(w.own) == 0 && len(w.next) == 0 {
		return nil
	}
	return w
}

// visit reports whether v has a field in off, and clears all of them if drop is true.
func (w *offWay) visit(v reflect.Value, drop bool) (found bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && w.each.visit(v.Elem(), drop)
	case reflect.Slice:
		for i := 0; i < v.Len() && (drop || !found); i++ {
			found = w.each.visit(v.Index(i), drop) || found
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem() // the values of a map are not addressable
			value.Set(v.MapIndex(key))
			if w.each.visit(value, drop) {
				found = true
			}
			if found && drop {
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		return w.visitStruct(v, drop)
	}
	return found
}

func (w *offWay) visitStruct(v reflect.Value, drop bool) (found bool) {
	for _, i := range w.own {
		if f := v.Field(i); !f.IsZero() {
			found = true
			if drop {
				f.SetZero()
			}
		}
	}
	for i, next := range w.next {
		f := v.Field(i)
		if !next.visit(f, drop) {
			continue
		}
		found = true
		if l, ok := f.Interface().(*corev1.Lifecycle); ok && *l == (corev1.Lifecycle{}) {
			f.SetZero() // kube-apiserver also drops an object that has become empty
		}
	}
	return found
}
