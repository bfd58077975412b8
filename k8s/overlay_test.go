package k8s_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
)

func derive(t testing.TB, h hosted) *schema.Schema {
	s, err := schema.Derive(h.typ, schema.Options{Builtin: true, Overlay: h.overlay})
	require.NoError(t, err)
	return s
}

func TestFactsOfFields(t *testing.T) {
	tests := []struct {
		kind       hosted
		path, want string
	}{
		{of[corev1.Pod](), "spec.containers", "list map name"},
		{of[corev1.Pod](), "spec.containers.[].ports", "list map containerPort protocol"},
		{of[corev1.Pod](), "spec.containers.[].command", "list atomic"},
		{of[corev1.Pod](), "spec.imagePullSecrets", "list map name"},
		{of[corev1.Pod](), "spec.topologySpreadConstraints", "list map topologyKey whenUnsatisfiable"},
		{of[corev1.Pod](), "spec.nodeSelector", "map atomic"},
		{of[corev1.Pod](), "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", "map atomic"},
		{of[corev1.Pod](), "spec.ephemeralContainers.[].ports", "list map containerPort protocol"},
		{of[corev1.Pod](), "status.conditions", "list map type"},
		{of[appsv1.Deployment](), "spec.template.spec.containers.[].ports", "list map containerPort protocol"},
		{of[appsv1.Deployment](), "spec.selector", "map atomic"},
		{of[appsv1.Deployment](), "status.conditions", "list map type"},
		{of[corev1.Service](), "spec.ports", "list map port protocol"},
		{of[corev1.Service](), "spec.selector", "map atomic"},
		{of[corev1.ServiceAccount](), "secrets", "list map name"},
		{of[corev1.ServiceAccount](), "imagePullSecrets", "list atomic"},
		{of[corev1.ServiceAccount](), "metadata.finalizers", "list set"},
		{of[corev1.ServiceAccount](), "metadata.ownerReferences", "list map uid"},
		{of[corev1.Node](), "spec.taints", "list atomic"},
		{of[corev1.Node](), "spec.podCIDRs", "list set"},
		{of[corev1.Node](), "status.conditions", "list map type"},
		{of[corev1.Node](), "status.addresses", "list map type"},
		{of[corev1.PersistentVolume](), "spec.claimRef", "map granular"},
		{of[corev1.ConfigMap](), "data", "map granular"},
		{of[corev1.LimitRange](), "spec.limits", "list atomic"},
	}
	for _, tt := range tests {
		t.Run(tt.kind.gvk.Kind+" "+tt.path, func(t *testing.T) {
			s := derive(t, tt.kind).At(strings.Split(tt.path, ".")...)
			require.NotNil(t, s)
			assert.Equal(t, tt.want, facts(s))
		})
	}
}

// facts describes how the values at a place merge.
func facts(s *schema.Schema) string {
	if s.Type == schema.ArrayType {
		listType := s.ListType
		if listType == "" {
			listType = schema.AtomicList
		}
		return strings.Join(append([]string{"list", listType}, s.ListMapKeys...), " ")
	}
	if s.MapType == schema.AtomicMap {
		return "map atomic"
	}
	return "map granular"
}

// The schema of every kind agrees with the apply configurations about every list and map, including object
// metadata.
func TestEveryFactIsInTheSchema(t *testing.T) {
	compared := 0
	for _, h := range everyKind() {
		t.Run(h.gvk.String(), func(t *testing.T) {
			obj := reflect.New(h.typ).Interface().(runtime.Object)
			obj.GetObjectKind().SetGroupVersionKind(h.gvk)
			typed, err := applyconfigurations.NewTypeConverter(scheme.Scheme).ObjectToTyped(obj)
			require.NoError(t, err)
			c := comparison{schema: typed.Schema(), got: map[string]string{}, want: map[string]string{}}
			c.place("", derive(t, h), typed.TypeRef(), map[string]bool{})
			assert.Equal(t, c.want, c.got)
			compared += len(c.want)
		})
	}
	assert.Greater(t, compared, 10_000)
}

// comparison collects the facts of both sides by path.
type comparison struct {
	schema    *smd.Schema
	got, want map[string]string
}

func (c comparison) place(path string, s *schema.Schema, ref smd.TypeRef, above map[string]bool) {
	if s == nil || s.Type != schema.ObjectType && s.Type != schema.ArrayType || s.Anything() {
		return
	}
	atom, ok := c.schema.Resolve(ref)
	if !ok {
		return
	}
	if ref.NamedType != nil {
		if above[*ref.NamedType] {
			return
		}
		above = maps.Clone(above)
		above[*ref.NamedType] = true
	}
	switch {
	case s.Type == schema.ArrayType && atom.List != nil:
		c.got[path], c.want[path] = facts(s), "list atomic"
		if atom.List.ElementRelationship == smd.Associative {
			c.want[path] = strings.Join(append([]string{"list", "map"}, atom.List.Keys...), " ")
			if len(atom.List.Keys) == 0 {
				c.want[path] = "list set"
			}
		}
		c.place(path+"[]", s.Items, atom.List.ElementType, above)
	case s.Type == schema.ObjectType && atom.Map != nil && !s.PreserveUnknown:
		c.got[path], c.want[path] = facts(s), "map granular"
		if atom.Map.ElementRelationship == smd.Atomic {
			c.want[path] = "map atomic"
		}
		c.place(path+"{}", s.Additional, atom.Map.ElementType, above)
		for _, f := range atom.Map.Fields {
			c.place(path+"."+f.Name, s.Member(f.Name), f.Type, above)
		}
	}
}

func TestDefaults(t *testing.T) {
	tests := []struct {
		kind       hosted
		path, want string
	}{
		{of[corev1.Pod](), "spec.containers.[].ports.[].protocol", `"TCP"`},
		{of[corev1.Service](), "spec.ports.[].protocol", `"TCP"`},
		{of[corev1.Pod](), "spec.volumes.[].rbd.keyring", `"/etc/ceph/keyring"`},
		{of[corev1.Pod](), "spec.containers.[].livenessProbe.grpc.service", `""`}, // behind a pointer it is not the zero value
		{of[corev1.Pod](), "spec.volumes.[].azureDisk.readOnly", "false"},
		{of[corev1.Pod](), "spec.containers.[].name", "none"}, // the zero value
		{of[corev1.Pod](), "spec", "none"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			got := "none"
			if v := derive(t, tt.kind).At(strings.Split(tt.path, ".")...).DefaultValue; !v.IsAbsent() {
				got = string(codec.AppendJSON(nil, v))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// A type that many kinds share has the same tags in each. The core handles object metadata, but requires more of
// conditions than Kubernetes.
func TestKindsAgreeOnTheirTypes(t *testing.T) {
	said := map[string]string{}
	for _, h := range everyKind() {
		for _, key := range slices.Sorted(maps.Keys(h.overlay)) {
			earlier, ok := said[key]
			if ok {
				assert.Equal(t, earlier, h.overlay[key], fmt.Sprint(h.gvk, " ", key))
			}
			said[key] = h.overlay[key]
			if !strings.HasPrefix(key, "k8s.io/apimachinery/pkg/apis/meta/v1.Condition.") {
				assert.NotContains(t, key, "k8s.io/apimachinery/")
			}
		}
	}
}

func BenchmarkResource(b *testing.B) {
	for b.Loop() {
		of[corev1.Pod]()
	}
}
