package oracle

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// random returns the JSON of a random object, which most often is invalid.
func (s subject) random(t *testing.T, seed int64) []byte {
	t.Helper()
	obj := s.new()
	newFiller(seed).fill(reflect.ValueOf(obj).Elem(), 0.5)
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return encode(t, obj)
}

// filler makes random values.
type filler struct{ *rand.Rand }

func newFiller(seed int64) filler { return filler{rand.New(rand.NewSource(seed))} }

func pick[T any](r filler, of ...T) T { return of[r.Intn(len(of))] }

// fill gives a value that is addressable random content. A pointer, a list or a map is absent with the chance given.
func (r filler) fill(v reflect.Value, absent float64) {
	if r.special(v.Addr().Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if r.Float64() >= absent {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), absent)
		}
	case reflect.Slice:
		if r.Float64() >= absent {
			v.Set(reflect.MakeSlice(v.Type(), 1+r.Intn(2), 2))
			for i := range v.Len() {
				r.fill(v.Index(i), absent)
			}
		}
	case reflect.Map:
		if r.Float64() >= absent {
			v.Set(reflect.MakeMap(v.Type()))
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			r.fill(key, absent)
			r.fill(value, absent)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		absent = pick(r, 0.2, 0.5, 0.5, 0.95)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.fill(v.Field(i), absent)
			}
		}
		r.repair(v.Addr().Interface())
	case reflect.String:
		v.SetString(r.text(v.Type().Name()))
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Intn(5)) - 1)
	case reflect.Uint8:
		v.SetUint(uint64(r.Intn(256)))
	}
}

// special fills the types whose content follows rules of their own. It reports whether it knows the type.
func (r filler) special(p any) bool {
	switch p := p.(type) {
	case *metav1.TypeMeta:
	case *metav1.ObjectMeta:
		*p = metav1.ObjectMeta{Name: pick(r, "", "a", "b"), Labels: r.metadataMap(), Annotations: r.metadataMap()}
	case *corev1.ResourceList:
		for range r.Intn(3) {
			if *p == nil {
				*p = corev1.ResourceList{}
			}
			var q resource.Quantity
			r.special(&q)
			(*p)[pick[corev1.ResourceName](r, "cpu", "memory", "hugepages-2Mi", "example.com/gpu")] = q
		}
	case *resource.Quantity:
		*p = resource.MustParse(pick(r, "0", "1", "2", "500m", "1Gi", "0.0001", "1500u"))
	case *intstr.IntOrString:
		*p = pick(r, intstr.FromInt32(0), intstr.FromInt32(80), intstr.FromString(""), intstr.FromString("http"))
	case *metav1.Time:
		p.Time = time.Unix(r.Int63n(1e9), 0)
	case *metav1.MicroTime:
		p.Time = time.Unix(r.Int63n(1e9), 0)
	case *metav1.Duration:
		p.Duration = time.Duration(r.Int63n(1e9))
	case *runtime.RawExtension:
		p.Raw = fmt.Appendf(nil, `{"a":%d}`, r.Intn(9))
	default:
		return false
	}
	return true
}

// repair changes values that Kubernetes shows in a way that is not the business of package defaults.
func (r filler) repair(p any) {
	switch p := p.(type) {
	case *appsv1.DaemonSet:
		delete(p.Annotations, appsv1.DeprecatedTemplateGeneration)
	case *corev1.PersistentVolumeClaim:
		p.TypeMeta = metav1.TypeMeta{Kind: pick(r, "", "PersistentVolumeClaim", "Claim")} // shown in a StatefulSet
	case *resourcev1.Device:
		p.NodeAllocatableResources = nil // an alpha field
	case *resourcev1.DeviceTaint:
		p.TimeAdded = &metav1.Time{Time: time.Unix(1e9, 0)} // the default is the time
	}
}

func (r filler) metadataMap() map[string]string {
	if r.Intn(2) == 0 {
		return nil
	}
	return map[string]string{pick(r, "a", corev1.LabelMetadataName): pick(r, "", "1")}
}

// text returns a value of a string type on which a rule depends, or any text for another type.
func (r filler) text(typeName string) string {
	switch typeName {
	case "ServiceType":
		return pick(r, "", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
	case "ServiceAffinity":
		return pick(r, "", "None", "ClientIP")
	case "ServiceExternalTrafficPolicy":
		return pick(r, "", "Local")
	case "DeploymentStrategyType", "DaemonSetUpdateStrategyType", "StatefulSetUpdateStrategyType":
		return pick(r, "", "RollingUpdate", "OnDelete")
	case "LimitType":
		return pick(r, "", "Container", "Pod")
	case "ContainerRestartPolicy":
		return pick(r, "", "Always")
	case "DeviceAllocationMode":
		return pick(r, "", "ExactCount", "All")
	}
	return pick(r, "", "", "a", "b", "nginx", "nginx:latest", "nginx:1.2", "Nginx", "example.com:5000/a/b:latest",
		"nginx@sha256:"+strings.Repeat("a", 64), "nginx@md5:"+strings.Repeat("a", 32), "NGINX.io/a", "[::1]:5000/a", "a/../b",
		strings.Repeat("a", 64), "10.0.0.1", "apps/v1")
}
